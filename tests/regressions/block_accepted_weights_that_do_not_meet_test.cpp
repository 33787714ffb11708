/// A block whose first weight gives 5 numbers to a last weight that takes 6 was accepted, and threw only when
/// used.

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/draws.h"
#include "support/layer_cases.h"

namespace rezero {
namespace {

TEST(Regression, BlockAcceptedWeightsThatDoNotMeet) {
  for (const char* branch : {"mlp", "glu"}) {
    BlockParts parts = testing::random_parts({branch, "relu", {4, 1}, 5});
    parts.weights[Role::down].weight = testing::share(testing::normal(4, 6, 1));
    EXPECT_THROW(ResidualBlock{parts}, ShapeError) << branch;
  }
}

}  // namespace
}  // namespace rezero
