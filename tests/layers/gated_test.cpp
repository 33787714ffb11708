#include "rezero/layers/gated.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

std::shared_ptr<Linear> linear(Index out, Index in, std::uint32_t id) {
  return std::make_shared<Linear>(testing::share(testing::normal(out, in, id)), nullptr, 1);
}

TEST(GatedProduct, ProductOfBothParts) {
  const auto gate = linear(4, 3, 1), up = linear(4, 3, 2);
  const Vector x = testing::normal(3, 3);
  const GatedProduct layer(gate, up, Activation("relu"));
  const Vector wanted = gate->evaluate(x).cwiseMax(0).cwiseProduct(up->evaluate(x));
  EXPECT_EQ(layer.evaluate(x), wanted);
}

TEST(GatedProduct, ShapesMustAgree) {
  EXPECT_THROW(GatedProduct(linear(4, 3, 1), linear(5, 3, 2), Activation("relu")), ShapeError);
  EXPECT_THROW(GatedProduct(linear(4, 3, 1), linear(4, 2, 2), Activation("relu")), ShapeError);
}

}  // namespace
}  // namespace rezero
