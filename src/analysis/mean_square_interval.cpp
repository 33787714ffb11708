#include "analysis/mean_square_interval.h"

#include <cmath>

#include "rezero/core/contract.h"

namespace rezero::detail {
namespace {

/// P(a, x) by its power series; for x < a + 1.
Real lower_gamma(Real a, Real x) {
  Real term = 1 / a, sum = term;
  for (Real n = a + 1; term > 1e-17 * sum; ++n) sum += term *= x / n;
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// Q(a, x) = 1 − P(a, x) by its continued fraction, after Lentz; for x ≥ a + 1.
Real upper_gamma(Real a, Real x) {
  constexpr Real tiny = 1e-300;
  Real b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int i = 1; i < 100000; ++i) {
    const Real an = -i * (i - a);
    b += 2;
    d = 1 / (std::abs(an * d + b) < tiny ? tiny : an * d + b);
    c = std::abs(b + an / c) < tiny ? tiny : b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return h * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// Whether the χ² variable stays below x with probability less than p. The smaller tail is compared, so that
/// p near 1 loses no digits.
bool is_below(Real x, Real p, Real freedom) {
  const Real a = freedom / 2;
  if (x / 2 < a + 1) return lower_gamma(a, x / 2) < p;
  return upper_gamma(a, x / 2) > 1 - p;
}

/// The standard normal quantile, by bisection.
Real normal_quantile(Real p) {
  Real low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const Real z = (low + high) / 2;
    const bool below =
        p < 0.5 ? std::erfc(-z / std::sqrt(Real{2})) / 2 < p : std::erfc(z / std::sqrt(Real{2})) / 2 > 1 - p;
    (below ? low : high) = z;
  }
  return (low + high) / 2;
}

}  // namespace

Real chi_square_quantile(Real p, Real freedom) {
  REZERO_REQUIRE(p > 0 && p < 1 && freedom > 0);
  const Real spread = 2 / (9 * freedom);
  if (freedom > 1e5) return freedom * std::pow(1 - spread + normal_quantile(p) * std::sqrt(spread), 3);
  Real low = 0, high = freedom + 10;
  while (is_below(high, p, freedom)) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const Real x = (low + high) / 2;
    (is_below(x, p, freedom) ? low : high) = x;
  }
  return (low + high) / 2;
}

Interval mean_square_interval(const EntryLaw& law, Index count, Real level) {
  // The mean square is then σ² up to the rounding of the file, which may hold float32.
  constexpr Real rounding = 1e-5;
  if (law.fixed_square()) return {1 - rounding, 1 + rounding};
  const auto n = static_cast<Real>(count);
  const Real variance = law.fourth - 1, third = law.sixth - 3 * law.fourth + 2;
  const Real freedom = 8 * n * std::pow(variance, 3) / (third * third);
  const auto at = [&](Real p) {
    return 1 + std::sqrt(variance / n) * (chi_square_quantile(p, freedom) - freedom) / std::sqrt(2 * freedom);
  };
  return {at(level / 2), at(1 - level / 2)};
}

}  // namespace rezero::detail
