#include "analysis/mean_square_interval.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"
#include "rezero/theory/agreement.h"

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

/// Whether the χ² variable lies below x with probability less than p, or above it with more than p. Of the
/// two tails, the one that is summed directly is compared, so that small p lose no digits.
bool is_below(Real x, Real p, Real freedom, Tail tail) {
  const Real a = freedom / 2;
  if (x / 2 < a + 1) {
    const Real lower = lower_gamma(a, x / 2);
    return tail == Tail::lower ? lower < p : 1 - lower > p;
  }
  const Real upper = upper_gamma(a, x / 2);
  return tail == Tail::lower ? 1 - upper < p : upper > p;
}

/// The quantile in powers of 1/√ν, z the normal one.
Real chi_square_series(Real z, Real freedom) {
  const Real root = std::sqrt(2 * freedom), z2 = z * z;
  return freedom + root * z + Real{2} / 3 * (z2 - 1) + z * (z2 - 7) / (9 * root) -
         (6 * z2 * z2 + 14 * z2 - 32) / (405 * freedom) +
         z * (9 * z2 * z2 + 256 * z2 - 433) / (4860 * root * freedom);
}

}  // namespace

Real chi_square_quantile(Real p, Real freedom, Tail tail) {
  REZERO_REQUIRE(p > 0 && p < 1 && freedom > 0);
  if (freedom > 1e5)
    return chi_square_series(theory::normal_quantile(p) * (tail == Tail::lower ? 1 : -1), freedom);
  Real low = 0, high = freedom + 10;
  while (is_below(high, p, freedom, tail)) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const Real x = (low + high) / 2;
    (is_below(x, p, freedom, tail) ? low : high) = x;
  }
  return (low + high) / 2;
}

Interval mean_square_interval(const EntryLaw& law, Index count, Real level) {
  REZERO_REQUIRE(law.is_random() && count > 0);
  const auto n = static_cast<Real>(count);
  const Real fourth = law.fourth(), variance = fourth - 1, third = law.sixth() - 3 * fourth + 2;
  const Real freedom = 8 * n * std::pow(variance, 3) / (third * third);
  const auto at = [&](Tail tail) {
    return 1 + std::sqrt(variance / n) * (chi_square_quantile(level / 2, freedom, tail) - freedom) /
                   std::sqrt(2 * freedom);
  };
  return {std::max<Real>(at(Tail::lower), 0), at(Tail::upper)};
}

Real mean_bound(Index count, Real level) {
  return -theory::normal_quantile(level / 2) / std::sqrt(static_cast<Real>(count));
}

}  // namespace rezero::detail
