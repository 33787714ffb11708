#pragma once
/// log T of one block (density.h) as a function of u and log q, with first derivatives: the equations that
/// the march and the search for edges solve. y = q/(1 + q max s) in residual blocks, whose y approaches the
/// pole of ψ; for slopes of one size, ψ is linear in q. y = q in plain layers, whose y goes to −∞.

#include <optional>

#include "rezero/theory/density.h"
#include "theory/slope_rule.h"

namespace rezero::theory::detail {

/// At (u, q): the residual R of q's equation, log T, and partial derivatives in u and log q. log T does not
/// depend on q, and R is absent, in closed forms.
template <class Scalar>
struct TransformValue {
  Scalar residual{0}, residual_u{0}, residual_q{1};
  Scalar log, log_u, log_q{0};

  /// d log T/du along R = 0.
  Scalar slope() const { return log_u - log_q * residual_u / residual_q; }
};

/// Does not include the block's divisor.
class Transform {
 public:
  /// Checks the block: UsageError for numbers without a meaning.
  explicit Transform(const BlockTransform& block);

  template <class Scalar>
  TransformValue<Scalar> at(Scalar u, Scalar q) const;

  /// Added to log T: I + αW with orthogonal W and α > 1 is computed as αW (I + Wᵀ/α).
  Real shift() const { return shift_; }
  bool trivial() const { return strength_ == 0; }  ///< T = 1
  bool implicit() const { return kind_ == Kind::implicit; }
  bool plain() const { return plain_; }
  /// α²χ/λ²; with a value of 1 or more, or a plain layer, the law reaches down to 0.
  Real ratio() const { return strength_ * (kind_ == Kind::implicit ? rule_.mean() : 1); }
  Real rank() const;           ///< of the branch, divided by n: at most 1
  Real slope_at_zero() const;  ///< d log T/du at u = 0: the block's part of relvar

  /// The q of real u > 0, and of u < −1 on the branch that begins at −1 (nothing beyond its end).
  std::optional<Real> above(Real u) const;
  std::optional<Real> below(Real u) const;
  /// The largest −1 − u of `below`; infinite if there is no end.
  Real below_end() const;

 private:
  enum class Kind { linear, plain_linear, constant, implicit };
  template <class Scalar>
  struct Curve {
    Scalar value, first;
  };
  template <class Scalar>
  Curve<Scalar> curve(Scalar y, const SlopeRule::Value<Scalar>& slopes) const;  ///< H
  Real y_of(Real log_q) const;
  Real u_above(Real log_q) const;
  Real depth_below(Real log_q) const;  ///< −1 − u

  Kind kind_ = Kind::implicit;
  bool plain_ = false;
  Real strength_ = 0, gamma_ = 1, fourth_ = 0;
  Real scale_ = 0, factor_ = 0;  ///< H = scale y (1 + factor ψ)^power
  int power_ = 0;
  Real pole_ = 0;  ///< y = q/(1 + pole q)
  Real shift_ = 0;
  SlopeRule rule_;
  Real end_log_q_ = 0, end_depth_ = 0;  ///< of `below`
};

}  // namespace rezero::theory::detail
