#include "spectrum/dense/bidiagonal.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <limits>

#include "spectrum/matrices.h"
#include "support/kernel_levels.h"

namespace rezero {
namespace {

using detail::Bidiagonal;
using detail::bidiagonal_singular_values;

Matrix dense_of(const Bidiagonal& B) {
  Matrix A = B.diagonal.asDiagonal();
  for (Index i = 0; i < B.superdiagonal.size(); ++i) A(i, i + 1) = B.superdiagonal[i];
  return A;
}

Bidiagonal random_bidiagonal(Index n, std::uint32_t seed) {
  const Matrix entries = testing::random_matrix(n, 2, seed);
  return {entries.col(0), entries.col(1).head(n - 1)};
}

/// Every value above 2^-480 of the largest to a relative accuracy, not only an absolute one.
void expect_relative(const Vector& sigma, const Vector& truth, Real tolerance) {
  ASSERT_EQ(sigma.size(), truth.size());
  for (Index i = 0; i < sigma.size(); ++i) {
    const Real allowed = truth[i] > std::ldexp(truth[0], -480) ? tolerance * truth[i] : truth[i];
    EXPECT_NEAR(sigma[i], truth[i], allowed) << i;
  }
}

TEST(Bidiagonal, TwoByTwoByHand) {
  Bidiagonal B{Vector::Ones(2), Vector::Ones(1)};  // golden ratio and its inverse
  const Real golden = (1 + std::sqrt(5.0)) / 2;
  expect_relative(bidiagonal_singular_values(B), (Vector(2) << golden, 1 / golden).finished(), 1e-15);
}

TEST(Bidiagonal, DiagonalIsSortedModuli) {
  Bidiagonal B{(Vector(5) << -3, 1e-140, 0, 7, 1).finished(), Vector::Zero(4)};
  const Vector sigma = bidiagonal_singular_values(B);
  expect_relative(sigma.head(4), (Vector(4) << 7, 3, 1, 1e-140).finished(), 4e-16);
  EXPECT_EQ(sigma[4], 0);
}

TEST(Bidiagonal, AllZeroAndOneByOne) {
  EXPECT_EQ(bidiagonal_singular_values({Vector::Zero(9), Vector::Zero(8)}), Vector::Zero(9));
  EXPECT_NEAR(bidiagonal_singular_values({Vector::Constant(1, -0.7), Vector()})[0], 0.7, 2e-16);
}

TEST(Bidiagonal, RelativeAccuracyOfGradedEntries) {
  // Demmel & Kahan 1990: small relative changes of a bidiagonal's entries are small relative changes of all
  // values.
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Bidiagonal B = random_bidiagonal(30, seed);
    for (Index i = 0; i < 30; ++i) {
      B.diagonal[i] *= std::pow(10.0, -static_cast<Real>(i));
      if (i < 29) B.superdiagonal[i] *= std::pow(10.0, -static_cast<Real>(seed % 2 == 0 ? i : 29 - i));
    }
    expect_relative(bidiagonal_singular_values(B), testing::reference_values(dense_of(B)), 1e-13);
  }
}

TEST(Bidiagonal, AWrongExampleOfStandardQr) {
  // [η² 1 0; 0 1 η; 0 0 η²]-like matrices lose their small values to absolute accuracy in the standard
  // iteration.
  const Real eta = 1e-10;
  Bidiagonal B{(Vector(4) << eta * eta, 1, 1, eta * eta).finished(), (Vector(3) << 1, 1, 1).finished()};
  expect_relative(bidiagonal_singular_values(B), testing::reference_values(dense_of(B)), 1e-13);
}

TEST(Bidiagonal, ZeroDiagonalsAndZeroSuperdiagonals) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Bidiagonal B = random_bidiagonal(24, seed);
    B.diagonal[static_cast<Index>(seed)] = 0;
    if (seed % 2 == 0) B.superdiagonal[static_cast<Index>(seed) - 1] = 0;
    if (seed % 3 == 0) B.superdiagonal[5] = 1e-310, B.diagonal[9] = 1e-200;
    if (seed % 5 == 0) B.superdiagonal.setZero();
    const Vector sigma = bidiagonal_singular_values(B), truth = testing::reference_values(dense_of(B));
    EXPECT_LE((sigma - truth).cwiseAbs().maxCoeff(), 1e-15 * truth[0]) << seed;
    EXPECT_EQ(detail::sturm_certificate(B, sigma), "") << seed;
  }
}

TEST(Bidiagonal, HugeAndTinyMatricesScaleExactly) {
  const Bidiagonal B = random_bidiagonal(40, 3);
  const Vector sigma = bidiagonal_singular_values(B);
  for (int shift : {-900, 900}) {
    const Real factor = std::ldexp(1.0, shift);
    EXPECT_EQ(bidiagonal_singular_values({B.diagonal * factor, B.superdiagonal * factor}), sigma * factor);
  }
}

TEST(Bidiagonal, ClustersAndToeplitz) {
  const Index n = 100;
  const Bidiagonal B{Vector::Ones(n), Vector::Ones(n - 1)};  // σ_k = 2 cos(kπ/(2n+1)), k = 1 … n
  Vector truth(n);
  for (Index k = 1; k <= n; ++k) truth[k - 1] = 2 * std::cos(static_cast<Real>(k) * M_PI / (2.0 * n + 1));
  expect_relative(bidiagonal_singular_values(B), truth, 1e-13);
  const Bidiagonal nearly{Vector::Ones(n), Vector::Constant(n - 1, 1e-18)};
  expect_relative(bidiagonal_singular_values(nearly), Vector::Ones(n), 4e-16);
}

/// Random, graded both ways, nearly diagonal with values 1e-14 apart, and glued: blocks joined by small
/// superdiagonals.
Bidiagonal hard_bidiagonal(Index n, std::uint32_t seed) {
  Bidiagonal B = random_bidiagonal(n, seed);
  for (Index i = 0; i < n; ++i) {
    const Real up = std::pow(10.0, -2.0 * static_cast<Real>(i)),
               down = std::pow(10.0, -2.0 * static_cast<Real>(n - i));
    Real& d = B.diagonal[i];
    Real unused = 0, &f = i + 1 < n ? B.superdiagonal[i] : unused;
    switch (seed % 6) {
      case 1:
        d *= up, f *= up;
        break;
      case 2:
        d *= down, f *= down;
        break;
      case 3:
        d *= up, f *= down;
        break;
      case 4:
        d = 1 + 1e-14 * static_cast<Real>(i % 5) * d, f *= 1e-13;
        break;
      case 5:
        d = std::abs(static_cast<Real>(i % 20) - 10) + 1e-3, f = i % 20 == 19 ? 1e-10 : 1;
        break;
      default:
        break;
    }
  }
  return B;
}

TEST(LawBidiagonal, HardMatricesAreRightToAFewUlps) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    const Bidiagonal B = hard_bidiagonal(1 + seed % 61, seed);
    const Vector sigma = bidiagonal_singular_values(B);
    ASSERT_EQ(detail::sturm_certificate(B, sigma), "") << seed;
    if (sigma.size() <= 20) expect_relative(sigma, testing::reference_values(dense_of(B)), 4e-15);
  }
}

TEST(Bidiagonal, CountsMatchValues) {
  const Bidiagonal B = random_bidiagonal(50, 8);
  const Vector sigma = bidiagonal_singular_values(B);
  for (Index i = 0; i + 1 < 50; ++i) EXPECT_EQ(detail::count_below(B, (sigma[i] + sigma[i + 1]) / 2), 49 - i);
}

TEST(Bidiagonal, CertificateCatchesWrongValues) {
  const Bidiagonal B = random_bidiagonal(50, 9);
  const Vector sigma = bidiagonal_singular_values(B);
  EXPECT_EQ(detail::sturm_certificate(B, sigma), "");
  for (Index i : {0, 49}) {
    for (Real factor : {1 - 1e-11, 1 + 1e-11}) {
      Vector wrong = sigma;
      wrong[i] *= factor;
      EXPECT_NE(detail::sturm_certificate(B, wrong), "") << i;
    }
  }
  Vector lost = sigma;
  lost.tail(20).setZero();
  EXPECT_NE(detail::sturm_certificate(B, lost), "");
}

TEST(Bidiagonal, ReductionKeepsTheValues) {
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {1, 9}, {9, 1}, {2, 2}, {70, 50}, {50, 70}}) {
    const Matrix A = testing::random_matrix(rows, cols, 4);
    const Vector sigma = bidiagonal_singular_values(detail::bidiagonalize(A)),
                 truth = testing::reference_values(A);
    EXPECT_LE((sigma - truth).cwiseAbs().maxCoeff(), 4e-15 * truth[0]) << rows << " × " << cols;
  }
}

/// All shapes of one octet and a few beyond, tall and wide, graded or not, at every level of kernels.
TEST(Bidiagonalize, SmallShapesAtEveryLevel) {
  testing::for_each_kernel_level([] {
    for (const Index rows : {2, 3, 7, 8, 9, 16, 31, 33, 64, 95, 130})
      for (const Index cols : {2, 3, 8, 15, 17, 40, 64, 95}) {
        Matrix A = testing::random_matrix(rows, cols, 3) / 8;
        if (rows % 2 == 1) A.array().colwise() *= Eigen::ArrayXd::LinSpaced(rows, 0, -40).exp();
        const Bidiagonal B = detail::bidiagonalize(A);
        const Vector wanted = Eigen::JacobiSVD<Matrix>(A).singularValues(),
                     got = Eigen::JacobiSVD<Matrix>(dense_of(B)).singularValues();
        EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(), 4e-16 * std::sqrt(Real(rows * cols)) * wanted[0])
            << rows << " x " << cols;
      }
  });
}

/// Zero columns, and entries whose squares underflow.
TEST(Bidiagonalize, SmallMatricesWithZeros) {
  Matrix A = Matrix::Zero(9, 9);
  const Bidiagonal none = detail::bidiagonalize(A);
  EXPECT_TRUE(none.diagonal.isZero(0) && none.superdiagonal.isZero(0));
  A(0, 0) = 0.5, A(8, 0) = 1e-200, A(3, 5) = 0.25;
  const Bidiagonal B = detail::bidiagonalize(A);
  EXPECT_NEAR(B.diagonal.norm() * B.diagonal.norm() + B.superdiagonal.squaredNorm(), 0.3125, 1e-15);
}

}  // namespace
}  // namespace rezero
