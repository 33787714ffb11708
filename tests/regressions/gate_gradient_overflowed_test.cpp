/// The sum over a tangent close to the limit of double overflowed and left infinity in a ScaledReal.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/jacobian/backward.h"
#include "support/draws.h"

namespace rezero {
namespace {

TEST(Regression, GateGradientOverflowed) {
  BlockParts parts;
  parts.shape = {2, 2};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(Matrix(Matrix::Identity(2, 2))), nullptr};
  parts.branch_scale = Scale::number(1e-3);
  parts.output_bias = Vector::Ones(2);  // not homogeneous: the state keeps its scale
  const Vector x = Vector::Constant(4, 1e308);
  const StackPtr stack = make_stack({parts}, x);
  BackwardRequest request;
  request.cotangent = Vector::Ones(4);
  const BackwardResult got = backward_pass(*stack, {{x, 0}, {stack->block(0)->evaluate(x), 0}}, request);
  const Real log_ten_to_308 = 308 * std::log(10.0);
  EXPECT_NEAR(got.gate_gradient[0].log(), std::log(4.0) + log_ten_to_308, 1e-12);
  // δ yᵀ summed over two positions: all four entries are 2e308 · α.
  EXPECT_NEAR(got.last_weight_gradient[0].log(), std::log(4.0 * 1e-3) + log_ten_to_308, 1e-12);
}

}  // namespace
}  // namespace rezero
