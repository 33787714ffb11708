#include "rezero/core/scaled_real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rezero {
namespace {

/// Within the range of doubles, scaled numbers have the same bits.
TEST(ScaledReal, ArithmeticIsThatOfDoubles) {
  const Real numbers[] = {0, 1, 0.1, -0.3, 7e40, 1.7e-30, 3};
  for (Real a : numbers)
    for (Real b : numbers) {
      EXPECT_EQ((ScaledReal::make(a) * ScaledReal::make(b)).nearest(), a * b) << a << ' ' << b;
      EXPECT_EQ((ScaledReal::make(a) + ScaledReal::make(b)).nearest(), a + b) << a << ' ' << b;
      EXPECT_EQ((ScaledReal::make(a) * b).nearest(), a * b) << a << ' ' << b;
      EXPECT_EQ(ScaledReal::make(a) < ScaledReal::make(b), a < b) << a << ' ' << b;
      EXPECT_EQ(ScaledReal::make(a) > ScaledReal::make(b), a > b) << a << ' ' << b;
      if (b == 0) continue;
      EXPECT_EQ((ScaledReal::make(a) / ScaledReal::make(b)).nearest(), a / b) << a << ' ' << b;
      EXPECT_EQ((ScaledReal::make(a) / b).nearest(), a / b) << a << ' ' << b;
      EXPECT_EQ(quotient(ScaledReal::make(a), ScaledReal::make(b)), a / b) << a << ' ' << b;
    }
  for (Real a : {0.0, 1.0, 0.1, 7e40, 1.7e-30})
    EXPECT_EQ(sqrt(ScaledReal::make(a)).nearest(), std::sqrt(a)) << a;
}

TEST(ScaledReal, ArithmeticBeyondTheRangeOfDouble) {
  const ScaledReal huge = ScaledReal::make(0.75, 5001), tiny = ScaledReal::make(0.75, -5001);
  EXPECT_EQ(huge * tiny, ScaledReal::make(0.5625));
  EXPECT_EQ(huge + tiny, huge);
  EXPECT_EQ(tiny + huge, huge);
  EXPECT_EQ(huge + huge, ScaledReal::make(0.75, 5002));
  EXPECT_EQ(sqrt(huge * huge), huge);
  EXPECT_EQ(sqrt(tiny * tiny), tiny);
  EXPECT_EQ(huge.nearest(), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(tiny.nearest(), 0);
  EXPECT_EQ(huge / tiny, ScaledReal::make(1, 10002));
  EXPECT_EQ(huge.shifted(-10002), tiny);
  EXPECT_EQ(ScaledReal{}.shifted(7), ScaledReal{});
}

TEST(ScaledReal, OrderHoldsAtAnyExponentAndSign) {
  std::vector<ScaledReal> ascending;
  for (const Real mantissa : {-0.75, -0.5})
    for (const std::int64_t exponent : {5001, 1, -5001})
      ascending.push_back(ScaledReal::make(mantissa, exponent));
  std::sort(ascending.begin(), ascending.end());
  ascending.emplace_back();
  for (const std::int64_t exponent : {-5001, 1, 5001})
    for (const Real mantissa : {0.5, 0.75}) ascending.push_back(ScaledReal::make(mantissa, exponent));
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(ascending[i] < ascending[j], i < j) << i << ' ' << j;
  EXPECT_EQ(ascending.front(), ScaledReal::make(-0.75, 5001));
  EXPECT_EQ(ascending[5], ScaledReal::make(-0.5, -5001));
}

/// A quotient is neither zero nor infinite where the numbers are not, so ratios of it stay numbers.
TEST(ScaledReal, QuotientsAreClamped) {
  const ScaledReal huge = ScaledReal::make(0.75, 5001), tiny = ScaledReal::make(0.75, -5001);
  EXPECT_EQ(quotient(huge, tiny), std::ldexp(1.0, 1000));
  EXPECT_EQ(quotient(tiny, huge), std::ldexp(1.0, -1000));
  EXPECT_EQ(quotient(ScaledReal{}, huge), 0);
  EXPECT_EQ(huge.clamped_double(), std::ldexp(0.75, 1000));
  EXPECT_EQ(tiny.clamped_double(), std::ldexp(0.75, -1000));
  EXPECT_EQ(ScaledReal::make(3).clamped_double(), 3);
}

TEST(ScaledReal, ShiftsOfDoublesRoundOnce) {
  const Real smallest = std::numeric_limits<Real>::denorm_min(), largest = std::numeric_limits<Real>::max();
  EXPECT_EQ(shifted(smallest, 2097), std::ldexp(1.0, 1023));
  EXPECT_EQ(shifted(largest, 1), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(shifted(largest, -2098), smallest);
  EXPECT_EQ(shifted(1, -1000000), 0);
  EXPECT_EQ(shifted(0.3, std::int64_t{1} << 40), std::numeric_limits<Real>::infinity());
}

}  // namespace
}  // namespace rezero
