#pragma once
/// A root of a real function between two points of different sign.

#include <cmath>

#include "rezero/core/types.h"

namespace rezero::theory::detail {

/// x in [low, high] with f(x) = 0, f(low) ≤ 0 ≤ f(high) not required to be finite at the ends, to |high −
/// low| ≤ tolerance: secants with Illinois weights, and a bisection whenever two of them did not halve the
/// interval.
template <class Function>
Real root_between(const Function& f, Real low, Real high, Real f_low, Real f_high, Real tolerance) {
  Real before = high - low, weight_low = f_low, weight_high = f_high;
  int side = 0;
  for (int step = 0; step < 200 && high - low > tolerance; ++step) {
    Real x = (low * weight_high - high * weight_low) / (weight_high - weight_low);
    const bool slow = step % 3 == 2 && high - low > before / 2;
    if (step % 3 == 2) before = high - low;
    if (slow || !(x > low && x < high)) x = low + (high - low) / 2;
    if (!(x > low && x < high)) break;
    const Real value = f(x);
    if (value == 0) return x;
    if (value < 0) {
      low = x, weight_low = value;
      if (side == -1) weight_high /= 2;
      side = -1;
    } else {
      high = x, weight_high = value;
      if (side == 1) weight_low /= 2;
      side = 1;
    }
    if (std::abs(value) < 1e-15) return x;
  }
  return low + (high - low) / 2;
}

}  // namespace rezero::theory::detail
