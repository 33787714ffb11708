#include "linalg/matrix_product.h"

#include <gtest/gtest.h>

#include "support/draws.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::normal;

struct Sizes {
  Index rows, depth, columns;
};

/// Edges of vectors, strips and blocks in every direction.
std::vector<Sizes> all_sizes() {
  std::vector<Sizes> all;
  for (Index rows : {0, 1, 7, 8, 9, 24, 31, 96, 97, 203})
    for (Index depth : {0, 1, 5, 320, 321, 650})
      for (Index columns : {0, 1, 2, 3, 4, 7, 8, 9, 13, 40}) all.push_back({rows, depth, columns});
  return all;
}

void expect_product(const Matrix& A, const Matrix& B, const Matrix& sum, const Matrix& start) {
  const Matrix bound = start.cwiseAbs() + A.cwiseAbs() * B.cwiseAbs();
  EXPECT_TRUE(((sum - start - A * B).cwiseAbs().array() <= bound.array() * testing::rounding(A.cols())).all())
      << A.rows() << " × " << A.cols() << " × " << B.cols();
}

/// Against Eigen's product, as parts of larger matrices: nothing outside the result is written.
TEST(MatrixProduct, AllShapes) {
  for (const auto& [rows, depth, columns] : all_sizes()) {
    const Matrix A = normal(rows + 3, depth, 1), B = normal(depth + 2, columns, 2);
    Matrix out = Matrix::Constant(rows + 2, columns + 1, 42);
    multiply(A.topRows(rows), B.topRows(depth), out.topLeftCorner(rows, columns));
    expect_product(A.topRows(rows), B.topRows(depth), out.topLeftCorner(rows, columns),
                   Matrix::Zero(rows, columns));
    EXPECT_TRUE((out.bottomRows(2).array() == 42).all() && (out.col(columns).array() == 42).all());

    const Matrix start = normal(rows, columns, 3);
    Matrix sum = start;
    add_product(A.topRows(rows), B.topRows(depth), sum);
    expect_product(A.topRows(rows), B.topRows(depth), sum, start);
  }
}

/// Strides at which blocks are copied on some processors.
TEST(MatrixProduct, ColumnsThatLieWholePagesApart) {
  for (Index stride : {512, 1024})
    for (Index columns : {2, 15, 16, 21}) {
      const Matrix A = normal(stride, 330, 8), B = normal(330, columns, 9);
      Matrix all(stride, columns), part(stride - 13, columns);
      multiply(A, B, all);
      expect_product(A, B, all, Matrix::Zero(stride, columns));
      multiply(A.middleRows(5, stride - 13), B, part);
      expect_product(A.middleRows(5, stride - 13), B, part, Matrix::Zero(stride - 13, columns));
    }
}

TEST(MatrixProduct, WhatIsNotFiniteStaysWhereItIs) {
  const Matrix A = normal(50, 30, 4);
  for (Index row : {0, 20, 49}) {
    Matrix spoilt = A, out(50, 9);
    spoilt(row, 7) = std::numeric_limits<Real>::infinity();
    multiply(spoilt, normal(30, 9, 5), out);
    for (Index i = 0; i < 50; ++i) EXPECT_EQ(out.row(i).allFinite(), i != row) << i;
  }
}

/// Panels of columns of any width have the bits of the whole, so threads make no difference.
TEST(MatrixProduct, BitsDoNotDependOnThePanel) {
  for (Index rows : {13, 64, 200})
    for (Index depth : {20, 400}) {
      const Matrix A = normal(rows, depth, 6), B = normal(depth, 37, 7);
      Matrix whole(rows, 37), part(rows, 37);
      multiply(A, B, whole);
      for (Index width : {2, 3, 8, 16, 24}) {
        for (Index j = 0; j < 37;) {
          const Index end = 37 - j - width < 2 ? 37 : j + width;  // a single column is another product
          multiply(A, B.middleCols(j, end - j), part.middleCols(j, end - j));
          j = end;
        }
        EXPECT_EQ(whole, part) << rows << " × " << depth << ", " << width;
      }
    }
}

}  // namespace
}  // namespace rezero
