#include "rezero/layers/linear.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

TEST(Linear, ValueByHand) {
  Matrix W(2, 3);
  W << 1, 2, 3, 4, 5, 6;
  Vector b(2), x(6), y(4);
  b << 10, 20;
  x << 1, 0, -1, 0, 1, 2;
  y << -2 + 10, -2 + 20, 8 + 10, 17 + 20;
  const Linear layer(testing::share(W), testing::share(b), 2);
  EXPECT_EQ(layer.evaluate(x), y);
  EXPECT_EQ(layer.linearize(x).value, y);
  EXPECT_EQ(layer.input_shape(), (Shape{3, 2}));
  EXPECT_EQ(layer.output_shape(), (Shape{2, 2}));
}

TEST(Linear, ShapesMustFit) {
  EXPECT_THROW(Linear(testing::share(Matrix(2, 3)), testing::share(Vector(3)), 1), ShapeError);
}

TEST(Linear, HomogeneousUnlessABiasIsNotZero) {
  const MatrixPtr W = testing::share(testing::normal(2, 3, 1));
  EXPECT_TRUE(Linear(W, nullptr, 1).positively_homogeneous());
  EXPECT_TRUE(Linear(W, testing::share(Vector(Vector::Zero(2))), 1).positively_homogeneous());
  EXPECT_FALSE(Linear(W, testing::share(Vector(Vector::Unit(2, 1) * 1e-300)), 1).positively_homogeneous());
}

}  // namespace
}  // namespace rezero
