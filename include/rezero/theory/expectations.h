#pragma once
/// Gaussian expectations of an activation, at any variance of its argument: the scalars of mean-field theory.

#include "rezero/layers/activation.h"

namespace rezero::theory {

/// E f(h), h ~ N(0, p), of f composed of φ and φ′.
struct Expectations {
  Real mean = 0;          ///< E φ
  Real square = 0;        ///< E φ²
  Real fourth = 0;        ///< E φ⁴
  Real slope_square = 0;  ///< E φ′²
  Real slope_fourth = 0;  ///< E φ′⁴
  Real curvature = 0;     ///< E φ″ = E[h φ′]/p (Stein); a kink counts
  Real cross = 0;         ///< E (φ φ′)′ = E[h φ φ′]/p
  Real mixed_single = 0;  ///< E φ φ′²
  Real mixed_square = 0;  ///< E φ² φ′²

  /// E φ′⁴ / (E φ′²)²: 2 for relu, 1 if linear. 1 where φ′ is zero everywhere.
  Real kurtosis() const;
};

/// The law of φ′(h)², h ~ N(0, p), as points and weights (which sum to 1). Equal points are merged: relu has
/// two.
struct SlopeLaw {
  Vector square, weight;
};

/// Expectations of one activation. Gauss–Legendre panels on [−12, 12] in h/√p, refined at the kinks and where
/// φ′ is narrow (large p), so that every expectation is right to 1e-12 for p from 1e-12 to 1e12 (a test
/// compares with closed forms). Gauss–Hermite rules are not an alternative: 101 nodes are wrong by 4e-2 for
/// tanh at p = 40. Cost: a few hundred evaluations of φ for each call.
class GaussianIntegrals {
 public:
  explicit GaussianIntegrals(Activation activation);

  Expectations at(Real p) const;  ///< p ≥ 0; p = 0 is the limit at h = 0
  SlopeLaw slopes(Real p) const;
  /// E f(φ(h), φ(k)), Cov and products for (h, k) bivariate normal with variances p and q and correlation ρ.
  Real product(Real p, Real q, Real rho) const;        ///< E φ(h) φ(k)
  Real slope_product(Real p, Real q, Real rho) const;  ///< E φ′(h) φ′(k)
  /// Cov(φ′(h)², φ′(k)²)
  Real slope_square_covariance(Real p, Real q, Real rho) const;

  const Activation& activation() const { return activation_; }

 private:
  Activation activation_;
};

}  // namespace rezero::theory
