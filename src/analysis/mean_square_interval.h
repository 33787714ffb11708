#pragma once
/// How far the mean square and the mean of N independent numbers may be from their expectations.

#include "rezero/init/entry_law.h"

namespace rezero::detail {

enum class Tail { lower, upper };

/// The value below which (above which, for the upper tail) a χ² variable with `freedom` degrees lies with
/// probability p, 0 < p < 1; p may be as small as 1e-300. The inverse of the regularized incomplete gamma
/// function, by bisection (relative error 1e-10); above 10⁵ degrees the series of Goldberg & Levine 1946,
/// whose error is then below 1e-7 standard deviations for p > 1e-20.
Real chi_square_quantile(Real p, Real freedom, Tail tail = Tail::lower);

struct Interval {
  Real low = 0, high = 0;
};

/// s²/σ², s² = Σ w_i²/N, lies in the interval except with probability `level`, half of it on each side. With
/// m₄ = E w⁴/σ⁴, m₆ = E w⁶/σ⁶, the ratio has mean 1, variance (m₄ − 1)/N and third central moment
/// (m₆ − 3m₄ + 2)/N². It is taken as the shifted and scaled χ² with the same three moments,
///
///     1 + √((m₄ − 1)/N) (χ²_ν − ν)/√(2ν),   ν = 8 N (m₄ − 1)³/(m₆ − 3m₄ + 2)²
///
/// For normal entries ν = N, and this is χ²_N/N exactly; for uniform ones ν = 19.6 N. The law must be random.
Interval mean_square_interval(const EntryLaw& law, Index count, Real level);

/// |Σ w_i/N| stays below this multiple of σ, except with probability `level`: −Φ⁻¹(level/2)/√N. Exact for
/// normal entries; uniform and cut ones have lighter tails, which makes it an upper bound on the probability.
Real mean_bound(Index count, Real level);

}  // namespace rezero::detail
