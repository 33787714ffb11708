/// With a badly graded last factor, the product method published the values of the direction that processes
/// it in no particular order, which were wrong by 2e-5, although others were right to 1e-15: the
/// self-consistency of both directions was judged by one of them alone.

#include <gtest/gtest.h>

#include "spectrum/product_cases.h"

namespace rezero {
namespace {

TEST(Regression, ProductPublishedTheUnsteadyDirection) {
  const Index n = 16;
  Vector d(n);
  for (Index i = 0; i < n; ++i) d(i) = std::pow(10, -static_cast<Real>(i));
  for (const std::uint32_t seed : {5u, 7u, 9u}) {
    std::vector<Matrix> graded_first = {d.asDiagonal() * testing::orthogonal(n, n, seed)};
    for (int l = 1; l < 21; ++l)
      graded_first.push_back(testing::identity(n) + 0.1 * testing::gaussian(n, n, l));
    std::vector<Matrix> graded_last(graded_first.rbegin(), graded_first.rend());
    for (Matrix& A : graded_last) A.transposeInPlace();
    const ProductValues one = product_singular_values(testing::factors_of(graded_first)),
                        other = product_singular_values(testing::factors_of(graded_last));
    const Index both = std::min(one.rank, other.rank);
    EXPECT_GE(both, 12);
    for (std::size_t i = 0; i < static_cast<std::size_t>(both); ++i)
      EXPECT_LT(testing::relative_error(one.sigma[i], other.sigma[i]), 1e-13) << seed << ' ' << i;
  }
}

}  // namespace
}  // namespace rezero
