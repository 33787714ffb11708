#pragma once
/// Powers of two that keep squares and sums within the range of double. Exact, so ordinary numbers keep their
/// bits.

#include <cmath>
#include <cstdlib>

#include "rezero/core/scaled_real.h"

namespace rezero::detail {

/// The k of the unit 2^k in which numbers with this largest modulus are squared. 0 if squares are far from
/// the limits of double, and if the largest is 0 or not finite.
inline int unit_exponent(Real largest) {
  constexpr int ordinary = 200;
  if (largest == 0 || !std::isfinite(largest)) return 0;
  const int k = std::ilogb(largest);
  return std::abs(k) <= ordinary ? 0 : k;
}

/// x ← 2^k x for any k, each entry rounded once. 2^k itself need not be a double.
template <class Dense>
void times_power_of_two(Dense&& x, std::int64_t k) {
  if (k == 0) return;
  if (std::abs(k) <= 1000)
    x *= std::ldexp(1.0, static_cast<int>(k));
  else
    x = x.unaryExpr([k](Real entry) { return rezero::shifted(entry, k); });
}

using rezero::shifted;
/// a · 2^k for any k.
inline Matrix shifted(Matrix a, std::int64_t k) {
  times_power_of_two(a, k);
  return a;
}

/// Scales x to the unit of its largest entry and returns the unit's exponent.
template <class Dense>
int into_unit(Dense&& x) {
  const int k = x.size() == 0 ? 0 : unit_exponent(x.cwiseAbs().maxCoeff());
  times_power_of_two(x, -k);
  return k;
}

}  // namespace rezero::detail
