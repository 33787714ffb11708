#pragma once
/// Quotients and order of numbers beyond the range of double.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rezero/core/scaled_real.h"

namespace rezero::detail {

/// a/b, clamped to [2^−1000, 2^1000], so that it is no zero unless a is; b ≠ 0.
inline Real quotient(const ScaledReal& a, const ScaledReal& b) {
  const auto apart = static_cast<int>(std::clamp<std::int64_t>(a.exponent - b.exponent, -1000, 1000));
  return std::ldexp(a.mantissa / b.mantissa, apart);
}

/// The larger of two that are not negative.
inline const ScaledReal& larger_of(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
  if (a.exponent != b.exponent) return a.exponent > b.exponent ? a : b;
  return a.mantissa >= b.mantissa ? a : b;
}

}  // namespace rezero::detail
