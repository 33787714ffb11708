#include "rezero/linalg/standardize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/draws.h"

namespace rezero {
namespace {

TEST(Standardize, ByHand) {
  Matrix W(2, 4), wanted(2, 4);
  W << 1, 2, 3, 6, 5, 5, 5, 5;
  wanted << -2, -1, 0, 3, 0, 0, 0, 0;
  wanted.row(0) /= std::sqrt(14.0);
  standardize_rows(W);
  EXPECT_LE((W - wanted).cwiseAbs().maxCoeff(), 1e-15) << "a constant row has nothing left";
}

/// (w − μ)/(√n σ) for w of any size and offset.
TEST(Standardize, RowsHaveMeanZeroAndUnitNorm) {
  Matrix W = 1e3 * testing::normal(7, 45, 1).array() + 50;
  const Matrix before = W;
  standardize_rows(W);
  for (Index i = 0; i < W.rows(); ++i) {
    const Eigen::ArrayXd w = before.row(i).transpose();
    const Real deviation = std::sqrt((w - w.mean()).square().mean());
    EXPECT_NEAR(W.row(i).sum(), 0, 1e-14);
    EXPECT_NEAR(W.row(i).norm(), 1, 1e-15);
    EXPECT_NEAR(W(i, 3), (w(3) - w.mean()) / (deviation * std::sqrt(45.0)), 1e-15);
  }
}

/// The same bits at every size; rows and columns of zeros stay.
TEST(Standardize, EntriesOfAnySize) {
  Matrix W = testing::normal(6, 9, 2);
  W.row(1).setZero(), W.col(3).setZero();
  for (const auto change : {standardize_rows, normalize_rows, normalize_columns}) {
    Matrix near = W, far = W;
    far *= 0x1p664;
    far.row(2) *= 0x1p-1000;
    if (change == normalize_columns) far = 0x1p-700 * W;
    change(near), change(far);
    EXPECT_EQ(near, far);
    EXPECT_TRUE(near.row(1).isZero(0));
  }
  Vector x = testing::normal(9, 3), huge = 0x1p900 * x, zero = Vector::Zero(9);
  normalize(x), normalize(huge), normalize(zero);
  EXPECT_EQ(x, huge);
  EXPECT_NEAR(x.norm(), 1, 1e-15);
  EXPECT_TRUE(zero.isZero(0));
}

}  // namespace
}  // namespace rezero
