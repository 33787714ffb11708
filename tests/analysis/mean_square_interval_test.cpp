#include "analysis/mean_square_interval.h"

#include <gtest/gtest.h>

namespace rezero {
namespace {

/// Tables of the χ² distribution (Abramowitz & Stegun, table 26.8); with two degrees, −2 log(1 − p).
TEST(MeanSquareInterval, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(detail::chi_square_quantile(0.95, 1), 3.84146, 1e-5);
  EXPECT_NEAR(detail::chi_square_quantile(0.005, 10), 2.15586, 1e-5);
  EXPECT_NEAR(detail::chi_square_quantile(0.995, 10), 25.1882, 1e-4);
  EXPECT_NEAR(detail::chi_square_quantile(0.99, 100), 135.807, 1e-3);
  for (const Real p : {1e-9, 0.3, 1 - 1e-9})
    EXPECT_NEAR(detail::chi_square_quantile(p, 2) / (-2 * std::log1p(-p)), 1, 1e-6) << p;
}

/// Small upper tails lose no digits: with two degrees, −2 log p.
TEST(MeanSquareInterval, TailsMayBeSmall) {
  for (const Real p : {1e-9, 1e-20, 1e-200})
    EXPECT_NEAR(detail::chi_square_quantile(p, 2, detail::Tail::upper) / (-2 * std::log(p)), 1, 1e-9) << p;
}

/// Where the series takes over from the bisection, in units of the standard deviation. The median's slope
/// between the two is 2/√(2ν) = 0.0045 per two degrees.
TEST(MeanSquareInterval, LargeNumbersContinueSmallOnes) {
  for (const detail::Tail tail : {detail::Tail::lower, detail::Tail::upper})
    for (const Real p : {1e-18, 1e-9, 1e-3, 0.5}) {
      const Real sd = std::sqrt(2e5), step = 0.002;
      const Real below = detail::chi_square_quantile(p, 1e5 - step, tail),
                 above = detail::chi_square_quantile(p, 1e5 + step, tail);
      const Real z = (above - 1e5) / sd;  // d(quantile)/dν = 1 + z/√(2ν), up to O(1/ν)
      EXPECT_NEAR((above - below) / sd, 2 * step * (1 + z / sd) / sd, 1e-7) << p;
    }
}

TEST(MeanSquareInterval, IsChiSquareForNormalEntriesAndNarrowerForUniformOnes) {
  const detail::Interval normal = detail::mean_square_interval(EntryLaw::normal(1), 50, 0.01);
  EXPECT_NEAR(normal.low, detail::chi_square_quantile(0.005, 50) / 50, 1e-9);
  EXPECT_NEAR(normal.high, detail::chi_square_quantile(0.995, 50) / 50, 1e-9);
  const detail::Interval uniform = detail::mean_square_interval(EntryLaw::uniform(1), 50, 0.01);
  EXPECT_GT(uniform.low, normal.low);
  EXPECT_LT(uniform.high, normal.high);
}

/// One uniform number: w²/σ² is at most 3, so no interval can end below its median and none need be negative.
TEST(MeanSquareInterval, OneNumberIsNoException) {
  for (const EntryLaw& law : {EntryLaw::normal(1), EntryLaw::uniform(1), EntryLaw::truncated_normal(1, 2)}) {
    const detail::Interval range = detail::mean_square_interval(law, 1, 1e-6);
    EXPECT_GE(range.low, 0);
    EXPECT_GT(range.high, 3);
    EXPECT_TRUE(std::isfinite(range.high));
  }
}

/// Φ⁻¹(0.975) = 1.959963984540054, Φ⁻¹(1 − 5e-7) = 4.891638475699.
TEST(MeanSquareInterval, MeansHaveNormalBounds) {
  EXPECT_NEAR(detail::mean_bound(1, 0.05), 1.959963984540054, 1e-12);
  EXPECT_NEAR(detail::mean_bound(100, 1e-6), 0.4891638475699, 1e-11);
}

}  // namespace
}  // namespace rezero
