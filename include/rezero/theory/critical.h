#pragma once
/// Critical initialization of plain nets x′ = φ(W x + b), in which gradients neither vanish nor explode.
///
/// W_ij has variance σ_w²/n and b_i has variance σ_b². The variance q of an entry of W x + b obeys
///
///     q′ = V(q) = σ_w² E φ(√q z)² + σ_b²,    z standard normal,
///
/// and the mean square of a gradient changes by χ₁ = σ_w² E φ′(√q z)² in a layer (Poole et al. 2016, arXiv
/// 1606.05340; Schoenholz et al. 2017, arXiv 1611.01232). A net is critical if χ₁ = 1 at a fixed point q* of
/// V. The laws of x′ = W φ(x) + b are the same, with q the variance of an entry of x, and the same holds for
/// orthogonal W.

#include <optional>
#include <string>
#include <vector>

#include "rezero/core/words.h"
#include "rezero/theory/expectations.h"
#include "rezero/theory/network_law.h"

namespace rezero {
namespace theory {

enum class Stability {
  stable,
  marginal,  ///< slope of V is 1, to 1e-10
  unstable,  ///< the variance leaves the fixed point
};

enum class Phase {
  ordered,   ///< χ₁ < 1: gradients vanish, and all inputs become alike
  critical,  ///< χ₁ = 1, to 1e-9
  chaotic,   ///< χ₁ > 1: gradients explode, and close inputs move apart
  diverging  ///< the variance grows without bound, or beyond 1e12
};

}  // namespace theory

template <>
inline constexpr auto words<theory::Stability> =
    closed_set<theory::Stability>("stability", {{theory::Stability::stable, "stable"},
                                                {theory::Stability::marginal, "marginal"},
                                                {theory::Stability::unstable, "unstable"}});
template <>
inline constexpr auto words<theory::Phase> =
    closed_set<theory::Phase>("phase", {{theory::Phase::ordered, "ordered"},
                                        {theory::Phase::critical, "critical"},
                                        {theory::Phase::chaotic, "chaotic"},
                                        {theory::Phase::diverging, "diverging"}});

namespace theory {

struct FixedPoint {
  Real q = 0;      ///< V(q) = q
  Real slope = 0;  ///< V′(q) = σ_w² E (φ φ′)′ = χ₁ + σ_w² E φ φ″
  Stability stability = Stability::stable;
};

/// A point of the line χ₁ = 1.
struct CriticalPoint {
  Real weight = 0, bias = 0;  ///< σ_w², σ_b²
  FixedPoint fixed;           ///< q* and the slope of V
  /// E φ′⁴/(E φ′²)². The relative variance of σ² of J grows by it in a layer with Gaussian weights, and by
  /// one less with orthogonal weights (Pennington et al. 2018, arXiv 1802.09979).
  Real kurtosis = 1;
};

/// Layers after which a deviation that is multiplied by `factor` per layer has fallen by e: −1/log factor.
/// Nothing unless 0 ≤ factor < 1; 0 for factor 0.
std::optional<Real> decay_depth(Real factor);

struct CriticalSet {
  std::vector<CriticalPoint> points;  ///< in ascending order of q*
  /// φ is positively homogeneous of degree 1: every q is a fixed point, and marginal. The only point has q*
  /// = 1.
  bool every_q = false;
  std::string reason;  ///< why there is no point
};

/// Solves for σ_w², given σ_b² = `bias`: σ_w² = 1/E φ′², and q* is a root of q − E φ²/E φ′² = σ_b². For σ_b =
/// 0 and φ(0) = 0, q* = 0 is a root, and σ_w² = 1/φ′(0)². Searches q* up to 1e12, and finds all roots that
/// are a grid step (15 %) apart. UsageError unless bias = 0 or bias ≥ 1e-10, below which differences from 0
/// are not resolved. Cost: about 400 quadratures.
CriticalSet critical_for_bias(const GaussianIntegrals& activation, Real bias);

/// The critical net with the fixed point q* = `q` > 0, or the reason why there is none: σ_b² = q − E φ²/E φ′²
/// would be negative.
CriticalSet critical_at(const GaussianIntegrals& activation, Real q);

/// Where fixed points of critical nets turn from stable to unstable or back: points with χ₁ = 1 and V′ = 1
/// for q* in [1e-6, 1e6] (half-stable, Roberts, Yaida & Hanin 2022, arXiv 2106.10165). Nothing for
/// homogeneous φ.
std::vector<CriticalPoint> stability_changes(const GaussianIntegrals& activation);

/// What becomes of a signal in a plain net of any σ_w² and σ_b².
struct PlainPhase {
  std::vector<FixedPoint>
      fixed_points;  ///< of V, in ascending order; those of homogeneous φ with V = id are not listed
  Phase phase = Phase::diverging;
  // Not set if the variance diverges:
  std::optional<Real> q;      ///< the fixed point reached from `start`
  std::optional<Real> slope;  ///< V′ there; variances converge with decay_depth(slope) = ξ_q
  std::optional<Real> chi;    ///< χ₁ there; if the variance diverges, its limit for homogeneous φ
  /// c*, to which the correlation of two inputs converges, and the slope there, σ_w² E φ′φ′: ξ_c =
  /// decay_depth of it. At the critical point convergence is algebraic. Not set where
  /// correlations are kept: for q = 0, where activations are linear, and for linear nets without biases.
  std::optional<Real> correlation, correlation_slope;
};

/// `start`: variance q of the first layer. The correlation map is convex on [0, 1] (a power series with
/// coefficients ≥ 0), so that c* = 1 for χ₁ ≤ 1, and the only root below 1 otherwise. Cost: about 400
/// quadratures, and 50 in two dimensions in the chaotic phase.
PlainPhase plain_phase(const GaussianIntegrals& activation, Real weight, Real bias, Real start);

/// log σ_max of J of a plain net of `depth` layers, all at the same q, at infinite width: the upper edge
///
///     2 log σ_max = min over u > 0 of log((1 + u)/u) + L log T(u),  ψ(y) = u,
///     T = σ_w² u/y (Gaussian), σ_w² u/(y (1 + u)) (orthogonal),  ψ(y) = E y φ′²/(1 − y φ′²)
///
/// (Pennington et al. 2017, arXiv 1711.04735). −∞ if φ′ = 0 everywhere.
Real plain_log_sigma_max(const SlopeLaw& slopes, Real weight, Ensemble ensemble, Index depth);

/// The same at a critical point, with the slopes of its q*.
Real critical_log_sigma_max(const GaussianIntegrals& activation, const CriticalPoint& point,
                            Ensemble ensemble, Index depth);

/// The largest depth at which a critical net's spread stays within a bound; no number: more than `limit`.
struct SpreadDepths {
  std::optional<Index> by_variance;  ///< m2/m1² − 1 ≤ bound
  std::optional<Index> by_maximum;   ///< σ_max ≤ bound
};
SpreadDepths spread_depths(const GaussianIntegrals& activation, const CriticalPoint& point, Ensemble ensemble,
                           Real bound, Index limit = 1000000);

}  // namespace theory
}  // namespace rezero
