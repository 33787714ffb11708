#pragma once
/// Gaussian expectations of an activation, at any variance of its argument: the scalars of mean-field theory.

#include <vector>

#include "rezero/layers/activation.h"

namespace rezero::theory {

/// E f(h), h ~ N(0, p), of f composed of φ and φ′. A moment beyond the range of doubles is infinite.
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
  Real slope_growth = 0;  ///< d E φ′² / dp = E[φ′² (h²/p − 1)]/(2p)

  /// E φ′⁴ / (E φ′²)²: 2 for relu, 1 if linear. 1 where φ′ is zero everywhere.
  Real kurtosis() const;
  /// E φ″ ≠ 0 beyond rounding; p: the variance at which these expectations are. False for odd φ.
  bool has_curvature(Real p) const;
};

/// The law of φ′(h)², h ~ N(0, p), as points and weights (which sum to 1), largest point first. Equal points
/// are merged: relu has two.
struct SlopeLaw {
  Vector square, weight;
};

/// Expectations of one activation. Closed forms for activations of degree 1 and for the sine, otherwise
/// Gauss–Legendre panels on [−12, 12] in h/√p, with end points at the kinks and where φ varies (|h| up to 41)
/// if that is narrow. Every E f is right to 1e-12 E|f| for p from 1e-12 to 1e12, beyond 41 φ being a
/// polynomial or constant to the last bit (a test compares with closed forms). Gauss–Hermite rules are not an
/// alternative: 101 nodes are wrong by 4e-2 for tanh at p = 40. Cost: about 1000 evaluations of φ for each
/// call of `at` and `slopes`, and 1e5 for expectations over two arguments. The processor's underflow flag
/// remains as it was. UsageError for a negative or non-finite variance and |ρ| > 1.
///
/// Closed forms: Williams 1997 (erf), Cho & Saul 2009 (relu).
class GaussianIntegrals {
 public:
  explicit GaussianIntegrals(Activation activation);

  /// p = 0 is the point h = 0, with φ′ as the activation defines it at a kink; curvature and cross are then
  /// limits for p → 0, infinite where φ′ (φ φ′) jumps, and slope_growth is 0.
  Expectations at(Real p) const;
  SlopeLaw slopes(Real p) const;
  // For (h, k) bivariate normal with variances p and q and correlation ρ: right to 1e-11 of the square root
  // of E f(h)² E f(k)².
  Real product(Real p, Real q, Real rho) const;        ///< E φ(h) φ(k)
  Real slope_product(Real p, Real q, Real rho) const;  ///< E φ′(h) φ′(k)
  /// Cov(φ′(h)², φ′(k)²)
  Real slope_square_covariance(Real p, Real q, Real rho) const;

  /// Coefficients of φ(√p z)² and φ′(√p z)² in the orthonormal Hermite polynomials of z, from degree 0 up:
  /// for (h, k) as above, a covariance is the sum over j ≥ 1 of ρ^j times the coefficients at p and at q
  /// (Mehler). The squares of all coefficients sum to E φ⁴ and E φ′⁴.
  struct SquareModes {
    Vector value, slope;
  };
  SquareModes square_modes(Real p, Index count) const;

  const Activation& activation() const { return activation_; }
  /// φ(c h) = c φ(h) up to rounding for c > 1 and |h| > 2^100, or for every h: gelu as well as relu.
  bool homogeneous_far_out() const { return homogeneous_far_out_; }

 private:
  enum class Factor { value, slope, slope_square };
  Expectations at_zero() const;
  Real pair(Factor factor, Real p, Real q, Real rho) const;

  Activation activation_;
  bool sine_ = false, homogeneous_far_out_ = false;
  Real right_ = 0, left_ = 0;  ///< slopes on both sides of 0 if φ is of degree 1
  std::vector<Real> kinks_;    ///< among −1, 0 and 1: where φ′ or φ″ jumps
  bool jump_at_zero_ = false;  ///< of φ′
};

}  // namespace rezero::theory
