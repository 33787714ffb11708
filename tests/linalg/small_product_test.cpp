#include "linalg/small_product.h"

#include <gtest/gtest.h>

#include "support/draws.h"
#include "support/kernel_levels.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::for_each_kernel_level;
using testing::normal;

/// Every remainder of rows and columns, right operands by column and by row, against Eigen's own product.
void sums_of_products_of_all_shapes() {
  for (Index rows : {lane_count, 2 * lane_count, 3 * lane_count, 5 * lane_count})
    for (Index columns = 1; columns <= 19; ++columns)
      for (Index depth : {0, 1, 7, 16}) {
        const Matrix A = normal(rows + 3, depth, 1).topRows(rows), C = normal(rows, 5, 2),
                     B = normal(depth, columns, 3), D = normal(columns, 5, 4);
        const Index stride = rows + 2;
        Matrix out = Matrix::Constant(stride, columns + 1, 42);
        const SmallProduct AB{A.data(), rows, B.data(), 1, depth, depth},
            CDt{C.data(), rows, D.data(), columns, 1, 5};
        add_products(AB, CDt, rows, columns, out.data(), stride);
        const Matrix bound = A.cwiseAbs() * B.cwiseAbs() + C.cwiseAbs() * D.transpose().cwiseAbs();
        const auto expect = [&](const Matrix& wanted) {
          const Matrix error = (out.topLeftCorner(rows, columns) - wanted).cwiseAbs();
          EXPECT_TRUE((error.array() <= bound.array() * testing::rounding(depth + 5)).all())
              << rows << ' ' << columns << ' ' << depth;
          EXPECT_TRUE((out.bottomRows(2).array() == 42).all() && (out.col(columns).array() == 42).all());
        };
        expect(A * B + C * D.transpose());
        small_product(CDt, rows, columns, out.data(), stride);
        expect(C * D.transpose());
      }
}
TEST(SmallProduct, SumsOfProductsOfAllShapes) {
  for_each_kernel_level(sums_of_products_of_all_shapes);
}

/// Columns have the same bits alone and in a strip, so panels make no difference.
void bits_do_not_depend_on_the_strip() {
  const Index rows = 3 * lane_count, columns = 15, depth = 20;
  const Matrix A = normal(rows, depth, 5), B = normal(depth, columns, 6);
  Matrix all(rows, columns), one(rows, columns);
  small_product({A.data(), rows, B.data(), 1, depth, depth}, rows, columns, all.data(), rows);
  for (Index j = 0; j < columns; ++j)
    small_product({A.data(), rows, B.col(j).data(), 1, depth, depth}, rows, 1, one.col(j).data(), rows);
  EXPECT_EQ(all, one);
}
TEST(SmallProduct, BitsDoNotDependOnTheStrip) {
  for_each_kernel_level(bits_do_not_depend_on_the_strip);
}

}  // namespace
}  // namespace rezero
