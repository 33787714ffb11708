/// 1 − tanh² x was computed from tanh x, which rounds to ±1: the slope lost all digits between 8 and 19 and
/// was 0 beyond. Products of such slopes are the small singular values of saturated stacks. gelu_tanh had the
/// same problem.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/layers/activation.h"

namespace rezero {
namespace {

TEST(Regression, TanhSlopeLostItsTail) {
  for (Real x : {10.0, 18.0, 25.0, 300.0}) {
    const Real got = Activation("tanh").derivative(Vector::Constant(1, -x))(0);
    EXPECT_NEAR(got / (4 * std::exp(-2 * x)), 1, std::exp(-2 * x) * 3 + 4 * x * 2.3e-16) << x;
  }
  const Vector at = Vector::Constant(1, -6.0);
  const long double u = std::sqrt(2 / std::acos(-1.0L)) * (6 + 0.044715L * 216);
  const long double wanted = -6 / (1 + std::exp(2 * u));
  EXPECT_NEAR(static_cast<Real>(Activation("gelu_tanh").value(at)(0) / wanted), 1, 1e-14);
}

}  // namespace
}  // namespace rezero
