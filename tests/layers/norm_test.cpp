#include "rezero/layers/norm.h"

#include <gtest/gtest.h>

#include "support/layer_laws.h"

namespace rezero {
namespace {

TEST(MeanSubtraction, ByHand) {
  Vector x(6), y(6);
  x << 1, 2, 6, -3, 0, 3;
  y << -2, -1, 3, -3, 0, 3;
  EXPECT_EQ(MeanSubtraction({3, 2}).evaluate(x), y);
}

TEST(MeanSubtraction, IsASymmetricProjector) {
  const Vector x = testing::normal(10, 1);
  const Matrix P = to_dense(*MeanSubtraction({5, 2}).linearize(x).derivative);
  EXPECT_LE((P - P.transpose()).cwiseAbs().maxCoeff(), 0);
  EXPECT_LE((P * P - P).cwiseAbs().maxCoeff(), testing::rounding(10));
  EXPECT_NEAR(P.trace(), 8, testing::rounding(10));  // one direction less at each position
}

TEST(MeanSubtraction, BytesDoNotDependOnTheAddress) {
  const Index n = 37;
  const LinearMapPtr P = MeanSubtraction({n, 1}).linearize(Vector::Zero(n)).derivative;
  Matrix storage(n, 9), out(n, 9);
  storage.colwise() = testing::normal(n, 2);  // columns of odd length: every alignment occurs
  P->apply(storage, out);
  for (Index j = 1; j < out.cols(); ++j) EXPECT_TRUE(testing::same_bytes(out.col(j), out.col(0))) << j;
}

TEST(Norms, RegistryMakesLayersOfTheShape) {
  for (const NormKind& kind : norms()) {
    const LayerPtr layer = NormSpec{&kind}.layer({4, 3});
    EXPECT_EQ(layer->input_shape(), (Shape{4, 3}));
    EXPECT_FALSE(kind.formula.empty() || kind.source.empty());
  }
  EXPECT_FALSE(NormSpec{});
}

}  // namespace
}  // namespace rezero
