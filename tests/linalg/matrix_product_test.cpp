#include "linalg/matrix_product.h"

#include <gtest/gtest.h>

#include "linalg/matrix_product_kernel.h"
#include "support/draws.h"
#include "support/kernel_levels.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::for_each_kernel_level;
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
void all_shapes() {
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

    const Matrix At = A.topRows(rows).transpose();
    out.setConstant(42);
    multiply_transposed(At, B.topRows(depth), out.topLeftCorner(rows, columns));
    expect_product(A.topRows(rows), B.topRows(depth), out.topLeftCorner(rows, columns),
                   Matrix::Zero(rows, columns));
    EXPECT_TRUE((out.bottomRows(2).array() == 42).all() && (out.col(columns).array() == 42).all());
  }
}
TEST(MatrixProduct, AllShapes) {
  for_each_kernel_level(all_shapes);
}

/// Strides at which blocks are copied on some processors.
void columns_that_lie_whole_pages_apart() {
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
TEST(MatrixProduct, ColumnsThatLieWholePagesApart) {
  for_each_kernel_level(columns_that_lie_whole_pages_apart);
}

void what_is_not_finite_stays_where_it_is() {
  const Matrix A = normal(50, 30, 4);
  for (Index row : {0, 20, 49}) {
    Matrix spoilt = A, out(50, 9);
    spoilt(row, 7) = std::numeric_limits<Real>::infinity();
    multiply(spoilt, normal(30, 9, 5), out);
    for (Index i = 0; i < 50; ++i) EXPECT_EQ(out.row(i).allFinite(), i != row) << i;
  }
}
TEST(MatrixProduct, WhatIsNotFiniteStaysWhereItIs) {
  for_each_kernel_level(what_is_not_finite_stays_where_it_is);
}

/// Panels of columns of any width have the bits of the whole, so threads make no difference.
void bits_do_not_depend_on_the_panel() {
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
TEST(MatrixProduct, BitsDoNotDependOnThePanel) {
  for_each_kernel_level(bits_do_not_depend_on_the_panel);
}

/// Blocks of the left operand may be copied: no bit changes, whatever the place of a row and of a column.
void bits_do_not_depend_on_copies() {
  const auto& kernel = detail::matrix_product_kernel();
  Vector room(detail::block_rows * detail::block_depth);
  for (const auto& [rows, depth, columns] : all_sizes()) {
    const Matrix A = normal(rows, depth, 10), B = normal(depth, columns, 11),
                 start = normal(rows, columns, 12);
    for (bool added : {false, true}) {
      Matrix in_place = start, copied = start;
      detail::ProductOperands p{rows,     depth, columns,         A.data(), rows,
                                B.data(), depth, in_place.data(), rows,     added};
      kernel.multiply(p, nullptr);
      p.C = copied.data();
      kernel.multiply(p, room.data());
      EXPECT_EQ(in_place, copied) << rows << " × " << depth << " × " << columns;
    }
  }
}
TEST(MatrixProduct, BitsDoNotDependOnCopies) {
  for_each_kernel_level(bits_do_not_depend_on_copies);
}

/// An entry is one chain of multiply-adds: rows at edges have the bits of those inside.
void bits_do_not_depend_on_the_row() {
  const Matrix A = normal(130, 400, 13), B = normal(400, 9, 14);
  Matrix all(130, 9);
  multiply(A, B, all);
  for (Index first : {0, 1, 5, 50})
    for (Index rows : {1, 7, 30, 79}) {
      Matrix part(rows, 9);
      multiply(A.middleRows(first, rows), B, part);
      EXPECT_EQ(part, all.middleRows(first, rows)) << first << ' ' << rows;
    }
}
TEST(MatrixProduct, BitsDoNotDependOnTheRow) {
  for_each_kernel_level(bits_do_not_depend_on_the_row);
}

/// Also of a single column, and of any rows on any number of threads.
void transposed_bits_do_not_depend_on_the_panel() {
  for (Index depth : {3, 20, 600})
    for (Index rows : {1, 5, 130}) {
      const Matrix A = normal(depth, rows, 15), B = normal(depth, 37, 16);
      Matrix whole(rows, 37), part(rows, 37), threads(rows, 37);
      multiply_transposed(A, B, whole);
      multiply_transposed(A, B, threads, 3);
      EXPECT_EQ(whole, threads);
      for (Index width : {1, 2, 5, 6, 8, 37}) {
        for (Index j = 0; j < 37; j += width) {
          const Index count = std::min(width, 37 - j);
          multiply_transposed(A, B.middleCols(j, count), part.middleCols(j, count));
        }
        EXPECT_EQ(whole, part) << depth << " × " << rows << ", " << width;
      }
    }
}
TEST(MatrixProduct, TransposedBitsDoNotDependOnThePanel) {
  for_each_kernel_level(transposed_bits_do_not_depend_on_the_panel);
}

}  // namespace
}  // namespace rezero
