#pragma once
/// Powers of two that keep squares and sums within the range of double: exact, so ordinary numbers keep their
/// bits.

#include <algorithm>
#include <cmath>

#include "rezero/core/types.h"

namespace rezero::detail {

/// k for the unit 2^k that numbers with this largest modulus are squared in. 0 where squares are far from the
/// ends of double, and where the largest is 0 or not finite.
inline int unit_exponent(Real largest) {
  constexpr int ordinary = 200;
  if (largest == 0 || !std::isfinite(largest)) return 0;
  const int k = std::ilogb(largest);
  return std::abs(k) <= ordinary ? 0 : k;
}

/// x ← 2^e x for |e| ≤ 2000, in two steps: 2^e itself need not be a double.
template <class Dense>
void times_power_of_two(Dense&& x, int e) {
  if (e == 0) return;
  x *= std::ldexp(1.0, e / 2);
  x *= std::ldexp(1.0, e - e / 2);
}

/// a · 2^shift for any shift, 0 where that is below the range of double.
inline Matrix shifted(const Matrix& a, std::int64_t shift) {
  if (shift == 0) return a;
  const auto by = static_cast<int>(std::clamp<std::int64_t>(shift, -4000, 4000));
  return a.unaryExpr([by](Real entry) { return std::ldexp(entry, by); });
}

/// Puts x into the unit that its own largest entry asks for; gives the unit's exponent.
template <class Dense>
int into_unit(Dense&& x) {
  const int k = x.size() == 0 ? 0 : unit_exponent(x.cwiseAbs().maxCoeff());
  times_power_of_two(x, -k);
  return k;
}

}  // namespace rezero::detail
