#pragma once
/// The unit in which a norm is computed.

#include <algorithm>

#include "linalg/unit.h"

namespace rezero::detail {

/// s as significand · 2^exponent.
struct Deviation {
  Real significand;
  int exponent;
  Real inverse() const { return std::ldexp(1 / significand, -exponent); }
};

/// N(2^k z; ε) = N(z; 4^−k ε): in units of the larger of √ε and the largest number, neither squares nor ε
/// leave the range of double.
class NormUnit {
 public:
  /// Scales x to its unit.
  template <class Dense>
  NormUnit(Dense&& x, Real eps) : eps_(eps) {
    exponent_ = unit_exponent(std::max(x.cwiseAbs().maxCoeff(), std::sqrt(eps)));
    times_power_of_two(x, -exponent_);
  }

  /// √(mean + ε) for a mean of squares in this unit.
  Deviation deviation(Real mean_square) const {
    const Real s = std::sqrt(mean_square + eps_here());
    if (s == 0) return {std::sqrt(eps_), 0};  // equal numbers so large that ε is negligible
    return {s, exponent_};
  }

 private:
  /// 4^−k ε, or 0 if that is close to the limit of double (not a significant underflow).
  Real eps_here() const {
    if (exponent_ == 0 || eps_ == 0) return eps_;
    return std::ilogb(eps_) - 2 * exponent_ < -1000 ? 0 : std::ldexp(eps_, -2 * exponent_);
  }

  Real eps_;
  int exponent_;
};

}  // namespace rezero::detail
