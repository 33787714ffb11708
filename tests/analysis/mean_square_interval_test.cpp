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

/// Both ways of computing a quantile agree where one takes over.
TEST(MeanSquareInterval, LargeNumbersContinueSmallOnes) {
  for (const Real p : {1e-9, 1e-3, 0.5, 1 - 1e-6}) {
    const Real below = detail::chi_square_quantile(p, 99999), above = detail::chi_square_quantile(p, 100001);
    EXPECT_NEAR((above - below) / std::sqrt(2e5), 2 / std::sqrt(2e5), 1e-3) << p;
  }
}

TEST(MeanSquareInterval, IsChiSquareForNormalEntriesAndNarrowerForUniformOnes) {
  const detail::Interval normal = detail::mean_square_interval({1, 3, 15}, 50, 0.01);
  EXPECT_NEAR(normal.low, detail::chi_square_quantile(0.005, 50) / 50, 1e-9);
  EXPECT_NEAR(normal.high, detail::chi_square_quantile(0.995, 50) / 50, 1e-9);
  const detail::Interval uniform = detail::mean_square_interval({1, Real{9} / 5, Real{27} / 7}, 50, 0.01);
  EXPECT_GT(uniform.low, normal.low);
  EXPECT_LT(uniform.high, normal.high);
}

}  // namespace
}  // namespace rezero
