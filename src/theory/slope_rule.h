#pragma once
/// ψ(y) = Σ w y s/(1 − y s) over the squared slopes s, by as few points as its use needs.

#include "rezero/theory/expectations.h"
#include "theory/complex.h"

namespace rezero::theory::detail {

/// Points s > 0 with weights w; w s is what the sums need. Padded with zeros to whole octets.
class SlopeRule {
 public:
  /// ψ and derivatives.
  template <class Scalar>
  struct Value {
    Scalar psi, first;
  };

  SlopeRule() = default;
  /// Every point of the law.
  explicit SlopeRule(const SlopeLaw& law);
  /// As plain layers need it, whose ψ is evaluated at the scale of the smallest slopes: a point that is far
  /// from its neighbours is spread over half of the way to them, as many points, evenly in log s (an atom of
  /// the law, with more than 5 % of the weight, stays where it is); slopes below 1e-140 of the largest count
  /// as that.
  static SlopeRule spread(const SlopeLaw& law);
  /// The Gauss rule of the measure w s ds with `points` points (all of the law's if they are fewer): ψ
  /// converges geometrically at every y off the cut [1/max s, ∞), at a rate that does not depend on y's size
  /// while |y| max s = O(1).
  static SlopeRule gauss(const SlopeLaw& law, Index points);

  Value<Complex> at(Complex y) const;
  Value<Real> at(Real y) const;
  Real largest() const { return largest_; }    ///< max s of the rule
  Real positive() const { return positive_; }  ///< P(s > 0) of the law
  Real mean() const { return mean_; }          ///< E s of the law

 private:
  void set(const Vector& square, const Vector& weighted);
  Eigen::ArrayXd square_, weighted_;  ///< s, w s
  Real largest_ = 0, positive_ = 0, mean_ = 0;
};

}  // namespace rezero::theory::detail
