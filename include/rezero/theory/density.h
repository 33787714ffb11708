#pragma once
/// The density of log σ of J at infinite width, by free probability.

#include <optional>
#include <string>
#include <vector>

#include "rezero/theory/expectations.h"
#include "rezero/theory/network_law.h"

namespace rezero::theory {

/// What the law of one block's singular values depends on: I + αB up to a scalar, or B for a plain layer.
struct BlockTransform {
  BranchForm form = BranchForm::linear;
  Ensemble ensemble = Ensemble::independent;
  bool plain = false;  ///< B without the identity
  Real strength = 0;   ///< e² = α² · weight variances / (λ² · square of a norm before the branch)
  Real gamma = 1;
  SlopeLaw slopes;       ///< of φ′²; a single 1 if linear
  Real log_divisor = 0;  ///< subtracted from log σ² (norm after the sum), less 2 log λ
};

/// Equal neighbours are evaluated once.
struct TransformRun {
  BlockTransform block;
  Index count = 1;
};

/// The law of y = log σ²: mass to the right of points, and where it ends.
struct SpectralLaw {
  Vector log_square;  ///< descending
  Vector density;     ///< of y there
  Vector above;       ///< mass of (y, ∞), from 0 up
  Real mass = 0;      ///< found by integration, atoms included: 1 up to the error of the march
  Real atom_at_zero = 0, atom_at_one = 0;       ///< known by rank; that at one is part of the march, smeared
  Real upper_edge = 0;                          ///< X₊ of y
  Real upper_scale = 0;                         ///< A of Tracy–Widom: y_max ≈ X₊ + (n A)^(−2/3) TW₁
  std::optional<Real> lower_edge, lower_scale;  ///< if σ_min is bounded away from 0
  std::string method;                           ///< march, universal, semicircle, cavity, point

  /// P(log σ² ≤ y), by interpolation.
  Real cumulative(Real y) const;
};

/// The density of free blocks: log z(u) = log(1 + u) − log u + Σ log T_l(u), marched from above the upper
/// edge down. Sum c < 1e-10: the semicircle around 1 in closed form (or a point). NumericalError if the mass
/// found is off by more than 1e-2. Cost: milliseconds for equal blocks, about 1 ms a block otherwise.
SpectralLaw march(const std::vector<TransformRun>& blocks);

/// Many small branches with Σ c_l = c, closed form: y = 2 c g + c coth(c g), density −Im g/π (Tarnowski et
/// al. 2019, arXiv 1809.08848; Biane 1997).
SpectralLaw universal_law(Real c);

/// Preactivation branches W φ(x), whose masks persist along the stream, so that blocks are not free: the
/// layerwise cavity equations over sample paths of the stream (derived here).
struct CavityBlock {
  Real strength = 0;  ///< α² σ_w² / λ²
  Real variance = 0;  ///< q_l of the stream at its input, in the units of the activation's argument
};
SpectralLaw cavity(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation);

/// sup |difference| of the empirical distribution and the law: the Kolmogorov distance of n singular
/// values given by log σ² in descending order (−∞ for zeros). Away from an atom at σ = 1 if the law has one.
Real kolmogorov(const SpectralLaw& law, const Vector& log_square);

/// Quantile of the Tracy–Widom law of β = 1 (Tracy & Widom 1996): mean −1.2065, standard deviation 1.268.
Real tracy_widom_quantile(Real probability);
constexpr Real tracy_widom_mean = -1.2065335745820;
constexpr Real tracy_widom_sd = 1.2680340200;

}  // namespace rezero::theory
