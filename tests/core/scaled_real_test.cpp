#include "rezero/core/scaled_real.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rezero {
namespace {

/// Where doubles do, scaled numbers have the same bits.
TEST(ScaledReal, ArithmeticIsThatOfDoubles) {
  const Real numbers[] = {0, 1, 0.1, -0.3, 7e40, 1.7e-30, 3};
  for (Real a : numbers)
    for (Real b : numbers) {
      EXPECT_EQ((ScaledReal::make(a) * ScaledReal::make(b)).nearest(), a * b) << a << ' ' << b;
      EXPECT_EQ((ScaledReal::make(a) + ScaledReal::make(b)).nearest(), a + b) << a << ' ' << b;
    }
  for (Real a : {0.0, 1.0, 0.1, 7e40, 1.7e-30})
    EXPECT_EQ(square_root(ScaledReal::make(a)).nearest(), std::sqrt(a)) << a;
}

TEST(ScaledReal, ArithmeticBeyondTheRangeOfDouble) {
  const ScaledReal huge = ScaledReal::make(0.75, 5001), tiny = ScaledReal::make(0.75, -5001);
  EXPECT_EQ(huge * tiny, ScaledReal::make(0.5625));
  EXPECT_EQ(huge + tiny, huge);
  EXPECT_EQ(tiny + huge, huge);
  EXPECT_EQ(huge + huge, ScaledReal::make(0.75, 5002));
  EXPECT_EQ(square_root(huge * huge), huge);
  EXPECT_EQ(square_root(tiny * tiny), tiny);
  EXPECT_EQ(huge.nearest(), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(tiny.nearest(), 0);
}

}  // namespace
}  // namespace rezero
