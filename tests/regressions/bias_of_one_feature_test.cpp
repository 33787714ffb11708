/// If a state had one feature, a bias after the scale was added only to the first position, and the sum read
/// past it: equal positions gave different results.

#include <gtest/gtest.h>

#include "rezero/model/stack.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, BiasOfOneFeatureReachesEveryPosition) {
  BlockParts parts;
  parts.shape = {1, 3};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(Matrix(Matrix::Constant(1, 1, 2))), nullptr};
  parts.output_bias = Vector::Constant(1, 0.5);
  const ResidualBlock block(parts);
  const Vector x = Vector::Ones(3);
  EXPECT_EQ(block.evaluate(x), Vector::Constant(3, 3.5));
  EXPECT_EQ(block.linearize_block(x).value, Vector::Constant(3, 3.5));
}

}  // namespace
}  // namespace rezero
