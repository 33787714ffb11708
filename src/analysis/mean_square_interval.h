#pragma once
/// How far the mean square of N independent numbers may be from its expectation.

#include "rezero/init/entry_law.h"

namespace rezero::detail {

/// The value that a χ² variable with `freedom` degrees stays below with probability p, 0 < p < 1. The inverse
/// of the regularized incomplete gamma function, by bisection (relative error 1e-10); above 10⁵ degrees
/// Wilson & Hilferty 1931, whose error is then below 1e-6 standard deviations for p within 1e-12 of the ends.
Real chi_square_quantile(Real p, Real freedom);

struct Interval {
  Real low = 0, high = 0;
};

/// s²/σ², s² = Σ w_i²/N, lies in the interval except with probability `level`, half of it on each side. With
/// m₄ = E w⁴/σ⁴, m₆ = E w⁶/σ⁶, the ratio has mean 1, variance (m₄ − 1)/N and third central moment
/// (m₆ − 3m₄ + 2)/N². It is taken as the shifted and scaled χ² with the same three moments,
///
///     1 + √((m₄ − 1)/N) (χ²_ν − ν)/√(2ν),   ν = 8 N (m₄ − 1)³/(m₆ − 3m₄ + 2)²
///
/// For normal entries ν = N, and this is χ²_N/N exactly; for uniform ones ν = 19.6 N.
Interval mean_square_interval(const EntryLaw& law, Index count, Real level);

}  // namespace rezero::detail
