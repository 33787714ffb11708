#include "rezero/linalg/maps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "rezero/layers/norm.h"
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

/// Maps that act at each of three positions by itself.
std::vector<LinearMapPtr> local_maps() {
  const auto W = share(normal(4, 5, 20)), V = share(normal(5, 4, 21));
  const LinearMapPtr up = positionwise_map(W, 3), down = positionwise_map(V, 3);
  const LinearMapPtr blocks = block_diagonal_map({normal(4, 5, 22), normal(4, 5, 23), normal(4, 5, 24)});
  const LinearMapPtr slope = diagonal_map(normal(12, 25), 3);
  const LinearMapPtr norm = NormSpec::of("layer_norm").layer({4, 3})->linearize(normal(12, 26)).derivative;
  return {up,
          blocks,
          slope,
          norm,
          sum_map(up, blocks),
          product_map({up, slope, down}),
          product_map({slope, norm, down}),
          product_map({norm, slope}),
          product_map({down, blocks, norm, down})};
}

/// apply_at, apply_transpose_at and block are the diagonal blocks of the map, which has nothing else.
TEST(LawMaps, BlocksOfLocalMaps) {
  for (const LinearMapPtr& map : local_maps()) {
    ASSERT_EQ(map->local_positions(), 3);
    testing::expect_linear_map_laws(*map);
    const Index rows = map->rows() / 3, cols = map->cols() / 3;
    const Matrix whole = applied(*map, Matrix::Identity(map->cols(), map->cols()));
    const Real allowed = testing::rounding(20) * (1 + whole.cwiseAbs().maxCoeff());
    for (Index t = 0; t < 3; ++t) {
      const Matrix block = whole.block(t * rows, t * cols, rows, cols);
      EXPECT_LE((map->block(t) - block).cwiseAbs().maxCoeff(), allowed);
      Matrix out(rows, cols), back(cols, rows);
      map->apply_at(t, Matrix::Identity(cols, cols), out);
      map->apply_transpose_at(t, Matrix::Identity(rows, rows), back);
      EXPECT_LE((out - block).cwiseAbs().maxCoeff(), allowed);
      EXPECT_LE((back.transpose() - block).cwiseAbs().maxCoeff(), allowed);
      for (Index s = 0; s < 3; ++s)
        if (s != t) {
          EXPECT_TRUE(whole.block(s * rows, t * cols, rows, cols).isZero(0));
        }
    }
    for (Index columns : {1, 7, 1000}) {
      const LinearMapPtr condensed = condense(map, columns);
      testing::expect_linear_map_laws(*condensed);
      EXPECT_LE(testing::relative_distance(to_dense(*condensed), whole), 1e-13);
      EXPECT_LE(condensed->flops_per_column() * static_cast<Real>(columns),
                map->flops_per_column() * static_cast<Real>(columns));
    }
  }
}

/// Parts with different numbers of positions leave no block structure: one block, and no wrong answer.
TEST(LawMaps, MixedPositionsAreOneBlock) {
  const auto W = share(normal(4, 4, 27));
  const LinearMapPtr local = positionwise_map(W, 3), slope = diagonal_map(normal(12, 28)),
                     full = dense_map(share(normal(12, 12, 29))), skip = identity_map(12);
  for (const LinearMapPtr& map :
       {product_map({local, slope}), product_map({full, local}), product_map({local, full, local}),
        sum_map(local, full), sum_map(skip, local), transpose_map(local),
        residual_map(Vector::Ones(1), normal(12, 30), local),
        product_map({residual_map(Vector::Ones(1), normal(12, 30), local), local})}) {
    EXPECT_EQ(map->local_positions(), 1);
    testing::expect_linear_map_laws(*map);
    EXPECT_LE(testing::relative_distance(map->block(0), applied(*map, Matrix::Identity(12, 12))), 1e-14);
    for (Index columns : {1, 1000})
      EXPECT_LE(testing::relative_distance(to_dense(*condense(map, columns)), to_dense(*map)), 1e-13);
  }
}

TEST(Maps, BlocksOfOneSizeOnly) {
  EXPECT_THROW(block_diagonal_map({}), std::logic_error);
  EXPECT_THROW(block_diagonal_map({normal(2, 3, 1), normal(3, 3, 1)}), std::logic_error);
  EXPECT_THROW(diagonal_map(normal(7, 1), 2), std::logic_error);
  const Matrix M = normal(2, 3, 1);
  EXPECT_EQ(to_dense(*block_diagonal_map({M})), M);
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
