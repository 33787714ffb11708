#include "rezero/layers/sequential.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/linear.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

TEST(Sequential, AppliesInOrder) {
  const auto W = testing::share(testing::normal(3, 4, 1));
  const auto linear = std::make_shared<Linear>(W, nullptr, 1);
  const auto relu = std::make_shared<ActivationLayer>(Activation("relu"), Shape{3, 1});
  const Sequential layer({linear, relu});
  const Vector x = testing::normal(4, 2);
  EXPECT_EQ(layer.evaluate(x), Vector((*W * x).cwiseMax(0)));
  EXPECT_TRUE(layer.positively_homogeneous());
}

TEST(Sequential, NeighboursMustFit) {
  const auto first = std::make_shared<Linear>(testing::share(Matrix(3, 4)), nullptr, 1);
  EXPECT_THROW(Sequential({first, first}), ShapeError);
  EXPECT_THROW(Sequential({}), ShapeError);
}

TEST(Sequential, HomogeneousOnlyIfAllPartsAre) {
  const auto relu = std::make_shared<ActivationLayer>(Activation("relu"), Shape{3, 1});
  const auto tanh = std::make_shared<ActivationLayer>(Activation("tanh"), Shape{3, 1});
  EXPECT_TRUE(Sequential({relu, relu}).positively_homogeneous());
  EXPECT_FALSE(Sequential({relu, tanh}).positively_homogeneous());
}

}  // namespace
}  // namespace rezero
