#include "rezero/analysis/observe.h"

#include <gtest/gtest.h>

#include "support/draws.h"

namespace rezero {
namespace {

using testing::normal;

TEST(IdentityError, ByHandAtEveryExponent) {
  const Matrix I = Matrix::Identity(3, 3);
  EXPECT_TRUE(identity_error({I, 0}).is_zero());
  EXPECT_TRUE(identity_error({I / 2, 1}).is_zero());
  EXPECT_EQ(identity_error({I / 2, 0}), ScaledReal::make(0.5));
  EXPECT_EQ(identity_error({I / 2, 5001}), ScaledReal::make(0.5, 5001));  // 2^5000 − 1 rounds to 2^5000
  EXPECT_EQ(identity_error({I / 2, -5000}), ScaledReal::make(1));
  EXPECT_EQ(identity_error({Matrix::Zero(3, 3), 0}), ScaledReal::make(1));
  Matrix J = I;
  J(0, 2) = -1e-300;
  EXPECT_EQ(identity_error({J, 0}), ScaledReal::make(1e-300));
  J(1, 1) = 1 + std::ldexp(1.0, -52);
  EXPECT_EQ(identity_error({J, 0}), ScaledReal::make(std::ldexp(1.0, -52)));
  EXPECT_EQ(identity_error({J / 2, 1}), ScaledReal::make(std::ldexp(1.0, -52)));
}

TEST(MaxDifference, AcrossExponents) {
  const Vector x = normal(4, 1);
  EXPECT_TRUE(max_difference({x, 3}, {8 * x, 0}).is_zero());
  EXPECT_EQ(max_difference({x, 0}, {Vector::Zero(4), 0}), ScaledReal::make(x.cwiseAbs().maxCoeff()));
  EXPECT_EQ(max_difference({x, 5000}, {x, 0}), ScaledReal::make(x.cwiseAbs().maxCoeff(), 5000));
  EXPECT_EQ(max_difference({x, -5000}, {x, 0}), ScaledReal::make(x.cwiseAbs().maxCoeff()));
}

TEST(Observe, NumbersOfAJacobian) {
  ScaledMatrix J{Matrix::Identity(4, 4) / 2, 2};  // 2 I
  ScaledVector start{normal(4, 2), 0}, state{start.mantissa, 1};
  const DepthResult got = observe(reported({7, state, J}, start), {}, 1);
  EXPECT_EQ(got.depth, 7);
  EXPECT_EQ(got.rows, 4);
  EXPECT_EQ(got.frobenius_square, ScaledReal::make(16));
  EXPECT_EQ(got.identity_error, ScaledReal::make(1));
  EXPECT_EQ(got.output_error, ScaledReal::make(start.mantissa.cwiseAbs().maxCoeff()));
  ASSERT_EQ(got.metrics.size(), metrics().size());
  EXPECT_EQ(got.metrics[0], std::optional<Real>(2));
  AnalysisOptions without;
  without.spectrum = false;
  EXPECT_TRUE(observe(reported({7, state, J}, start), without, 1).spectrum.sigma.empty());
}

TEST(Observe, RectangularHasNoIdentityError) {
  const ScaledVector start{normal(3, 2), 0}, state{normal(4, 3), 0};
  const ScaledMatrix J{normal(4, 3, 5), 0};
  const DepthResult got = observe(reported({1, state, J}, start), {}, 1);
  EXPECT_FALSE(got.identity_error || got.output_error);
  EXPECT_EQ(got.spectrum.dimension, 3);
}

}  // namespace
}  // namespace rezero
