#pragma once
/// The law of log σ of J at infinite width, by free probability.
///
/// u(z) = z G(z) − 1, G the Green's function of JᵀJ, is the variable in which free factors multiply: with
/// T_l = 1/S of block l,
///
///     log z(u) = log(1 + u) − log u + Σ_l log T_l(u)                  (Voiculescu)
///
/// and the density of y = log σ² is −Im u(e^{y + i0})/π. Blocks are free if their weights are independent and
/// their slopes do not persist along the stream: all forms but `preactivation`, which has equations of its
/// own.

#include <optional>
#include <string>
#include <vector>

#include "rezero/theory/expectations.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/network_law.h"

namespace rezero::theory {

/// What the law of one block's singular values depends on: I + αB up to a scalar, or B for a plain layer.
///
/// With t + t_B = u, t(1 + t) = t_B(1 + t_B) S_B(t_B): T(u) = u(1 + u)/(t(1 + t)), since 1 and B are free and
/// B is R-diagonal (Haagerup & Schultz 2007). Here t_B = γ ψ(y), ψ(y) = E y s/(1 − y s) over the squared
/// slopes s, and t(1 + t) = H(y):
///
///     mlp                     H = γ y / e²
///     dense, preactivation    H = y (1 + ψ) / e²                       (γ = 1)
///     Haar, every form        H = γ y (1 + min(1, γ) ψ)² / e²
///     linear, independent     closed form (Dozier & Silverstein 2007)
///
/// Plain layers: T = u(1 + u)/H(y) at γ ψ(y) = u.
struct BlockTransform {
  BranchForm form = BranchForm::linear;
  Ensemble ensemble = Ensemble::independent;
  bool plain = false;  ///< B without the identity
  /// e² = α² · weight variances / (λ² · square of a norm before the branch); plain: without λ
  Real strength = 0;
  Real gamma = 1;        ///< mlp only
  SlopeLaw slopes;       ///< of φ′²; not used if linear
  Real log_divisor = 0;  ///< subtracted from log σ² (norm after the sum), less 2 log λ
};

/// Equal blocks are evaluated once, whether in one run or in several.
struct TransformRun {
  BlockTransform block;
  Index count = 1;
};

/// The transforms of a network's blocks, in order, from its mean field. Cost: one law of slopes for each
/// variance of the activation's argument.
std::vector<TransformRun> free_blocks(const NetworkLaw& law, const MeanField& field);

/// Where the law ends, with the scale of its square root: f = log z as a function of real u has f′ = 0 there,
/// and scale = √(2/|f″|).
struct SpectralEdge {
  Real log_square = 0;
  /// A of Tracy–Widom: y_max ≈ X₊ + (n A)^(−2/3) TW₁, y_min ≈ X₋ − (n A)^(−2/3) TW₁. Absent if the density
  /// does not begin as a square root.
  std::optional<Real> scale;
};

/// The law of y = log σ²: a density, and at most two atoms. Single directions, such as those that a norm maps
/// to 0 or an outlier, have no mass.
struct SpectralLaw {
  Vector log_square;  ///< descending
  Vector density;     ///< of y there, without atoms; not negative
  Vector above;       ///< mass of the density on (y, ∞): ascending from 0 to 1 − atoms
  /// Mass found by integration, atoms included: 1 up to the error of the march. The density is divided by it.
  Real mass = 0;
  Real atom_at_zero = 0;  ///< mass of σ = 0: zero slopes of plain layers
  Real atom_at_one = 0;   ///< mass at `one`: directions that no low-rank branch touches
  Real one = 0;           ///< log σ² of that atom: 0 but for skip scales
  SpectralEdge upper;
  /// Of free blocks with c_l ≤ 1 − 1e-4 and no plain layer, whose σ_min is bounded away from 0. (There are
  /// others.)
  std::optional<SpectralEdge> lower;
  std::string method;  ///< march, universal, cavity, point, orthogonal (one such block, in closed form)

  /// P(log σ² ≤ y). Between points: the monotone cubic with the density as slope (Fritsch & Carlson 1980).
  Real cumulative(Real y) const;
  /// The y at which cumulative reaches p, 0 < p < 1; −∞ inside an atom at zero.
  Real quantile(Real p) const;
  /// E y and its variance, y = log σ² = 2 log σ. Absent if σ = 0 has mass.
  std::optional<Real> mean_log_square() const, variance_log_square() const;
  /// log E σ^{2k}, k > 0. Error about 1e-4 k.
  Real log_moment(Real k) const;
  /// P(low ≤ σ ≤ high), 0 < low ≤ high.
  Real share_within(Real low, Real high) const;
};

/// The law of a product of free blocks. The curve u(X + iθ) is followed in X from above the upper edge down,
/// θ = 1e-5 of the width of the law, by Newton's method on all blocks at once; steps adapt. Works at any
/// scale: Σ c = 1e-20 as well as 500 blocks with α = 10. No block with a branch: a point. NumericalError if a
/// curve is lost, or if the mass found is off by more than 1e-2. Error of `cumulative`: about 1e-4. Cost: 1
/// ms if all blocks are equal, 0.2 to 0.4 ms a block if they differ (bench/theory_bench.cpp).
SpectralLaw march(const std::vector<TransformRun>& blocks);

/// Many small branches with Σ c_l = c > 0, in closed form: cosh a = cos b + c sin b / b, y = a + c sinh a /
/// (cosh a − cos b), density b/(2πc), for 0 ≤ b, a ≥ 0, and symmetric in y. Source: Tarnowski et al. 2019,
/// arXiv 1809.08848; Biane 1997. Mean of y 0, variance 2c + c²/3. For c → 0: a semicircle of radius √(8c).
SpectralLaw universal_law(Real c);

/// Preactivation branches W φ(x), whose masks persist along the stream, so that blocks are not free: the
/// layerwise cavity equations over sample paths of the stream (derived here).
struct CavityBlock {
  Real strength = 0;  ///< α² σ_w² / λ²
  Real variance = 0;  ///< q_l of the stream at the block's input, which is the activation's argument
  Real skip = 1;  ///< λ: x_{l+1} = λ x_l + N(0, q_{l+1} − λ² q_l); the law does not include λ otherwise
};

/// The blocks of a network, if its law is that of `cavity`: independent preactivation branches without norms,
/// an input that is given or has normal entries of mean 0, and variances within the range of doubles.
std::optional<std::vector<CavityBlock>> cavity_blocks(const NetworkLaw& law, const MeanField& field,
                                                      const Vector& input = {});

/// Paths x_0 → x_1 → … with independent normal increments; every marginal is stratified. x_0 is normal with
/// the variance of the first block, or has the entries of `input`: the law is then that of stacks with this
/// very input, whose mask the blocks keep (n · KS of relu stacks falls from about 7 to 3), and the variances
/// of the stream follow from it. The Green's function averages, over the paths, the continued fractions of a
/// tridiagonal matrix; 2L scalars are found by a fixed point with Anderson's acceleration. Error of
/// `cumulative`: about 1e-3. Deterministic. Cost: 10 to 20 ms a block, up to 0.1 s where c ≥ 1.
/// NumericalError if the fixed point is not found, or if the mass is off by more than 1e-2.
SpectralLaw cavity(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation,
                   const Vector& input = {});

/// sup |difference| of the empirical distribution and the law: the Kolmogorov distance of n singular
/// values given by log σ² in descending order (−∞ for zeros). Points at an atom are counted, but not compared
/// there: the rank of a random branch fluctuates.
Real kolmogorov(const SpectralLaw& law, const Vector& log_square);

/// Quantile of the Tracy–Widom law of β = 1 (Tracy & Widom 1996), 1e-9 ≤ probability ≤ 1 − 1e-9, to 2e-7.
Real tracy_widom_quantile(Real probability);
constexpr Real tracy_widom_mean = -1.2065335745820;
constexpr Real tracy_widom_sd = 1.2680340200;

}  // namespace rezero::theory
