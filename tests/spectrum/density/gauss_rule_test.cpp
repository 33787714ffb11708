#include "spectrum/density/gauss_rule.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "spectrum/matrices.h"

namespace rezero {
namespace {

std::vector<Real> entries(Index n, std::uint32_t seed) {
  const Matrix A = testing::random_matrix(n, 1, seed).cwiseAbs();
  return {A.data(), A.data() + n};
}

void expect_rule_of(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index m) {
  Matrix B = Matrix::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    B(j, j) = alpha[static_cast<std::size_t>(j)];
    if (j + 1 < m) B(j, j + 1) = beta[static_cast<std::size_t>(j)];
  }
  const Eigen::JacobiSVD<Matrix> svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const detail::GaussRule rule = detail::gauss_rule(alpha, beta, m);
  const Real largest = svd.singularValues()[0];
  ASSERT_EQ(static_cast<Index>(rule.node.size()), m);
  Real sum = 0;
  for (Index i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(m - 1 - i);
    EXPECT_NEAR(rule.node[at], svd.singularValues()[i], 1e-14 * static_cast<Real>(m) * largest);
    EXPECT_NEAR(rule.weight[at], std::pow(svd.matrixV()(0, i), 2), 1e-10);
    EXPECT_NEAR(rule.last[at], std::abs(svd.matrixU()(m - 1, i)), 1e-9);
    sum += rule.weight[at];
  }
  EXPECT_NEAR(sum, 1, 1e-13);
}

TEST(GaussRule, IsThatOfTheSingularVectors) {
  for (Index m : {1, 2, 3, 10, 60}) expect_rule_of(entries(m, 1), entries(m, 2), m);
}

TEST(GaussRule, ZerosOnTheDiagonalAndBesideIt) {
  const std::vector<Real> alpha = {2, 1, 0}, beta = {0.5, 0.25, 0};
  expect_rule_of(alpha, beta, 3);
  const detail::GaussRule apart = detail::gauss_rule({3, 2}, {0, 0}, 2);
  EXPECT_NEAR(apart.node[0], 2, 1e-15);
  EXPECT_NEAR(apart.node[1], 3, 1e-15);
  EXPECT_NEAR(apart.weight[1], 1, 1e-15);
  const detail::GaussRule zero = detail::gauss_rule({0}, {0}, 1);
  EXPECT_EQ(zero.node[0], 0);
  EXPECT_NEAR(zero.weight[0], 1, 1e-15);
}

/// σ of 1e-12 next to 1: computed from BᵀB it would be noise.
TEST(GaussRule, SmallNodesKeepTheirPlace) {
  const detail::GaussRule rule = detail::gauss_rule({1, 1e-12}, {1e-13, 0}, 2);
  EXPECT_NEAR(rule.node[0], 1e-12, 1e-15);
}

}  // namespace
}  // namespace rezero
