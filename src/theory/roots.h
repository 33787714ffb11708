#pragma once
/// Roots of functions of one number, between two points or on a logarithmic scale.

#include <algorithm>
#include <cmath>
#include <vector>

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

/// The x in [low, high] where f, of different signs at the two ends, changes its sign: bisection of log x,
/// until the interval is at the rounding level.
template <class F>
Real bisect_log(F&& f, Real low, Real high) {
  const bool positive = f(low) > 0;
  for (int i = 0; i < 200; ++i) {
    const Real middle = std::sqrt(low) * std::sqrt(high);
    if (!(middle > low && middle < high)) break;
    ((f(middle) > 0) == positive ? low : high) = middle;
  }
  return std::sqrt(low) * std::sqrt(high);
}

/// All sign changes of f seen on a grid of [low, high] with 16 points per factor of 10. Values within
/// ±`resolution` have no sign: a stretch of them counts as one change, or none. Two roots closer together
/// than the grid are missed.
template <class F>
std::vector<Real> sign_changes(F&& f, Real low, Real high, Real resolution) {
  std::vector<Real> roots;
  const Index steps = std::max<Index>(1, static_cast<Index>(std::ceil(16 * std::log10(high / low))));
  Real last = 0, last_value = 0;
  for (Index i = 0; i <= steps; ++i) {
    const Real x =
        i == steps ? high : low * std::pow(high / low, static_cast<Real>(i) / static_cast<Real>(steps));
    const Real value = f(x);
    if (!(std::abs(value) > resolution)) continue;
    if (last_value != 0 && (value > 0) != (last_value > 0)) roots.push_back(bisect_log(f, last, x));
    last = x, last_value = value;
  }
  return roots;
}

/// The largest whole number up to `limit` for which `holds` is true, if it is true up to some number and
/// false from there to twice it: doubling, then bisection. 0 if it is false for 1.
template <class Predicate>
Index largest_holding(Predicate&& holds, Index limit) {
  Index good = 0, bad = 1;
  while (holds(bad)) {
    good = bad;
    if (good == limit) return limit;
    bad = std::min(limit, 2 * bad);
  }
  while (bad - good > 1) {
    const Index middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace rezero::theory::detail
