/// A factor that left the running product unchanged was skipped with the rank that it proves. Where the
/// product's zeros were known from such a factor only, values were unresolved instead of zero.

#include <gtest/gtest.h>

#include "spectrum/product_cases.h"

namespace rezero::testing {
namespace {

/// The sum's last row cancels exactly, which no rank bound of a sum can tell; the mask proves it.
TEST(Regression, UnchangedProductForgotAProvedRank) {
  const Index n = 6;
  const Matrix G = gaussian(n, n, 1);
  Matrix last = Matrix::Zero(n, n);
  last.row(n - 1) = -G.row(n - 1);
  const LinearMapPtr sum = sum_map(map_of(G).map, map_of(last).map);
  ASSERT_EQ(sum->rank_bound(), n);
  Vector mask = Vector::Ones(n);
  mask(n - 1) = 0;
  GradedProduct product(orthogonal(n, n, 3));
  product.push({sum, 0});
  EXPECT_EQ(product.values().rank_bound, n);
  product.push({diagonal_map(mask), 0});
  EXPECT_EQ(product.values().rank_bound, n - 1);
  EXPECT_EQ(product.values().rank, n - 1);

  const std::vector<ScaledMap> factors = {{sum, 0}, {diagonal_map(mask), 0}};
  const ProductValues values =
      product_singular_values({2, [&](Index l) { return factors[static_cast<std::size_t>(l)]; }});
  EXPECT_EQ(values.rank_bound, n - 1);
  EXPECT_EQ(values.rank, n - 1);
}

}  // namespace
}  // namespace rezero::testing
