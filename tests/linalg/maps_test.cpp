#include "rezero/linalg/maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::applied;
using testing::applied_transpose;
using testing::normal;
using testing::share;

TEST(Maps, MatricesByHand) {
  Matrix W(2, 2);
  W << 1, 2, 3, 4;
  const LinearMapPtr A = dense_map(share(W));
  EXPECT_EQ(to_dense(*A), W);
  EXPECT_EQ(to_dense(*identity_map(3)), Matrix::Identity(3, 3));
  EXPECT_EQ(to_dense(*diagonal_map(Vector::LinSpaced(3, 1, 3))),
            Matrix(Vector::LinSpaced(3, 1, 3).asDiagonal()));
  EXPECT_EQ(to_dense(*transpose_map(A)), Matrix(W.transpose()));
  EXPECT_EQ(to_dense(*sum_map(A, identity_map(2))), Matrix(W + Matrix::Identity(2, 2)));
  Vector d(2);
  d << 10, 100;
  EXPECT_EQ(to_dense(*product_map({A, diagonal_map(d)})), Matrix(d.asDiagonal() * W))
      << "first factor acts first";
  EXPECT_EQ(to_dense(*product_map({diagonal_map(d), A})), Matrix(W * d.asDiagonal()));
  EXPECT_EQ(product_map({A}), A);
  Vector lambda(2), alpha(2);
  lambda << 5, 6;
  alpha << 2, -1;
  EXPECT_EQ(to_dense(*residual_map(lambda, alpha, A)),
            Matrix(Matrix(lambda.asDiagonal()) + alpha.asDiagonal() * W));
  EXPECT_EQ(to_dense(*residual_map(Vector::Constant(1, 5), Vector::Constant(1, 2), A)),
            Matrix(5 * Matrix::Identity(2, 2) + 2 * W));
}

TEST(Maps, PositionwiseIsAKroneckerProduct) {
  const Matrix W = normal(2, 3, 1);
  Matrix wanted = Matrix::Zero(8, 12);
  for (Index t = 0; t < 4; ++t) wanted.block(2 * t, 3 * t, 2, 3) = W;
  const LinearMapPtr A = positionwise_map(share(W), 4);
  EXPECT_EQ(to_dense(*A), wanted);
  EXPECT_EQ(applied(*A, Matrix::Identity(12, 12)), wanted);
  EXPECT_EQ(applied_transpose(*A, Matrix::Identity(8, 8)), Matrix(wanted.transpose()));
}

TEST(LawMaps, EveryKind) {
  const auto W = share(normal(4, 4, 2)), V = share(normal(6, 4, 3));
  const LinearMapPtr A = dense_map(W), B = dense_map(V);
  for (const LinearMapPtr& map :
       {identity_map(5), diagonal_map(normal(5, 4)), A, B, positionwise_map(V, 3),
        sum_map(A, identity_map(4)), product_map({B, diagonal_map(normal(6, 5)), transpose_map(B)}),
        transpose_map(B), residual_map(normal(4, 6), normal(4, 7), A),
        residual_map(normal(1, 6), normal(1, 7), A),
        residual_map(normal(1, 6), normal(12, 7), positionwise_map(W, 3))})
    testing::expect_linear_map_laws(*map);
}

/// Panels of a wider matrix have its stride, which is their number of rows: allowed. A part of the rows is
/// not.
TEST(Maps, PositionwiseRefusesGapsBetweenColumns) {
  const LinearMapPtr A = positionwise_map(share(normal(2, 3, 1)), 2);
  const Matrix big = normal(6, 9, 2);
  Matrix out(4, 9), tall(8, 5);
  A->apply(big.middleCols(2, 5), out.middleCols(1, 5));
  EXPECT_LE((out.middleCols(1, 5) - applied(*A, big.middleCols(2, 5))).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_THROW(A->apply(big.middleCols(0, 5), tall.topRows(4)), std::logic_error);
  const Matrix high = normal(12, 5, 3);
  Matrix fit(4, 5);
  EXPECT_THROW(A->apply(high.topRows(6), fit), std::logic_error);
  A->apply(high.col(1).head(6), fit.col(0));  // one column has no gap
}

TEST(ResidualMap, IdentityBitForBit) {
  const Matrix v = normal(5, 40, 8);
  const LinearMapPtr B = dense_map(share(Matrix(normal(5, 5, 9) * 1e100)));
  for (Index size : {1, 5}) {
    const LinearMapPtr map = residual_map(Vector::Ones(size), Vector::Zero(size), B);
    EXPECT_TRUE(testing::same_bytes(applied(*map, v), v));
    EXPECT_TRUE(testing::same_bytes(applied_transpose(*map, v), v));
  }
}

TEST(ResidualMap, WhatIsNotFiniteShows) {
  Matrix W = Matrix::Zero(3, 3);
  W(1, 2) = std::numeric_limits<Real>::infinity();
  const LinearMapPtr map = residual_map(Vector::Ones(1), Vector::Zero(1), dense_map(share(W)));
  EXPECT_FALSE(applied(*map, Matrix::Identity(3, 3)).allFinite());
  EXPECT_FALSE(applied_transpose(*map, Matrix::Identity(3, 3)).allFinite());
}

TEST(Maps, FactorsMustFit) {
  const LinearMapPtr A = dense_map(share(normal(3, 4, 1)));
  EXPECT_THROW(product_map({A, A}), std::logic_error);
  EXPECT_THROW(product_map({}), std::logic_error);
  EXPECT_THROW(sum_map(A, transpose_map(A)), std::logic_error);
  EXPECT_THROW(residual_map(Vector::Ones(1), Vector::Ones(1), A), std::logic_error);
  EXPECT_THROW(residual_map(Vector::Ones(2), Vector::Ones(1), identity_map(3)), std::logic_error);
}

}  // namespace
}  // namespace rezero
