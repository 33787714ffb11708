#include "spectrum/certificate/determinant.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "spectrum/matrices.h"

namespace rezero {
namespace {

using detail::log_determinant;
using testing::random_matrix;

/// Edges of panels, leaves and tiles, against LU in long double.
TEST(Determinant, AllSizes) {
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  for (Index n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 47, 48, 49, 63, 64, 95, 96, 97, 143, 144, 145, 200}) {
    const Matrix A = random_matrix(n, n, static_cast<std::uint32_t>(n));
    const Eigen::PartialPivLU<Extended> lu(A.cast<long double>());
    const auto truth = static_cast<Real>(lu.matrixLU().diagonal().array().abs().log().sum());
    const detail::LogDeterminant found = log_determinant(A, A.cwiseAbs().maxCoeff(), 2);
    EXPECT_NEAR(found.value, truth, 1e-10) << n;
    EXPECT_GE(found.growth, 1) << n;
    EXPECT_LE(found.growth, 16) << n;
  }
}

/// Rows in reversed order: without exchanges the first pivot would be zero.
TEST(Determinant, ExchangesRows) {
  for (Index n : {10, 100, 250}) {
    Matrix Q = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) Q(i, n - 1 - i) = 0.5;
    const detail::LogDeterminant found = log_determinant(Q, 0.5, 1);
    EXPECT_NEAR(found.value, static_cast<Real>(n) * std::log(0.5), 1e-11) << n;
    EXPECT_EQ(found.growth, 1) << n;
  }
}

/// Wilkinson 1961: partial pivoting at its worst doubles the last column with every step.
TEST(Determinant, TheGrowthOfWilkinsonsMatrix) {
  for (Index n : {20, 60}) {
    Matrix A = -Matrix::Ones(n, n);
    A = Matrix(A.triangularView<Eigen::StrictlyLower>());
    A.diagonal().setOnes(), A.col(n - 1).setOnes();
    const detail::LogDeterminant found = log_determinant(A, 1, 2);
    EXPECT_DOUBLE_EQ(found.growth, std::ldexp(1.0, static_cast<int>(n) - 1)) << n;
    EXPECT_NEAR(found.value, static_cast<Real>(n - 1) * std::log(2.0), 1e-11) << n;
  }
}

TEST(Determinant, Singular) {
  for (Index n : {1, 30, 130}) {
    Matrix A = random_matrix(n, n, 3);
    A.col(n / 2).setZero();
    EXPECT_EQ(log_determinant(A, 1, 2).value, -std::numeric_limits<Real>::infinity()) << n;
  }
}

/// Of R where there are more rows than columns, or the other way round: half of log det AᵀA.
TEST(Determinant, Rectangular) {
  const Matrix A = random_matrix(70, 31, 8);
  const Eigen::PartialPivLU<Matrix> gram(A.transpose() * A);
  const Real truth = gram.matrixLU().diagonal().array().abs().log().sum() / 2;
  EXPECT_NEAR(log_determinant(A, 1, 1).value, truth, 1e-11);
  EXPECT_NEAR(log_determinant(A.transpose(), 1, 1).value, truth, 1e-11);
}

TEST(Determinant, BitsDoNotDependOnTheThreads) {
  for (Index n : {50, 200, 330}) {
    const Matrix A = random_matrix(n, n, 9);
    const detail::LogDeterminant one = log_determinant(A, 1, 1);
    for (int workers : {2, 3, 8}) {
      const detail::LogDeterminant many = log_determinant(A, 1, workers);
      EXPECT_EQ(one.value, many.value) << n << ", " << workers;
      EXPECT_EQ(one.growth, many.growth) << n << ", " << workers;
    }
  }
}

}  // namespace
}  // namespace rezero
