#include "rezero/linalg/haar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/random/sample.h"

namespace rezero {
namespace {

StreamKey key_of(std::uint64_t seed) {
  return stream_key(seed, StreamRole::weight);
}

Real distance_from_identity(const Matrix& a) {
  return (a - Matrix::Identity(a.rows(), a.cols())).cwiseAbs().maxCoeff();
}

TEST(Haar, RowsOrColumnsAreOrthonormalWhicheverAreFewer) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1},
                                   {5, 5},
                                   {1, 7},
                                   {7, 1},
                                   {130, 130},
                                   {200, 65},
                                   {65, 200},
                                   {300, 300}}) {
    const Matrix q = haar_orthogonal(rows, cols, key_of(1));
    ASSERT_EQ(q.rows(), rows);
    ASSERT_EQ(q.cols(), cols);
    const Matrix gram = rows >= cols ? Matrix(q.transpose() * q) : Matrix(q * q.transpose());
    EXPECT_LT(distance_from_identity(gram), 1e-13) << rows << "×" << cols;
  }
}

TEST(Haar, IsTheFactorOfItsGaussianWithPositiveDiagonal) {
  const Matrix g = normal_matrix(60, 40, key_of(3)), r = haar_orthogonal(60, 40, key_of(3)).transpose() * g;
  EXPECT_GT(r.diagonal().minCoeff(), 0);
  EXPECT_LT(Matrix(r.triangularView<Eigen::StrictlyLower>()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Haar, WideIsTheTransposeOfAFactorOfTheTransposedGaussian) {
  const Matrix g = normal_matrix(3, 8, key_of(4)), l = g * haar_orthogonal(3, 8, key_of(4)).transpose();
  EXPECT_GT(l.diagonal().minCoeff(), 0);
  EXPECT_LT(Matrix(l.triangularView<Eigen::StrictlyUpper>()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Haar, SameKeySameBits) {
  EXPECT_EQ(haar_orthogonal(70, 50, key_of(5)), haar_orthogonal(70, 50, key_of(5)));
  EXPECT_NE(haar_orthogonal(70, 50, key_of(5)), haar_orthogonal(70, 50, key_of(6)));
}

// Moments of the trace on O(n): E tr = 0, E tr² = 1, E tr⁴ = 3 (n ≥ 2). Source: Diaconis & Shahshahani 1994.
TEST(ReferenceHaar, TraceMoments) {
  constexpr int samples = 20000;
  for (const Index n : {2, 3, 5}) {
    Real first = 0, second = 0;
    for (int i = 0; i < samples; ++i) {
      const Real trace = haar_orthogonal(n, n, key_of(1000 + i)).trace();
      first += trace / samples;
      second += trace * trace / samples;
    }
    EXPECT_NEAR(first, 0, 5 / std::sqrt(samples)) << n;
    EXPECT_NEAR(second, 1, 5 * std::sqrt(2.0 / samples)) << n;
  }
}

// E Q_ij = 0, E Q_ij² = 1/n, E Q_ij⁴ = 3/(n(n+2)). Without the sign fix Q_00 is never positive: its mean is
// then −E|Q_00|, which the bound on the mean excludes.
TEST(ReferenceHaar, EntriesAreSymmetricWithVarianceOneOverN) {
  constexpr int samples = 20000;
  constexpr Index n = 4;
  const Real fourth = 3.0 / (n * (n + 2));
  Matrix mean = Matrix::Zero(n, n), square = mean;
  for (int i = 0; i < samples; ++i) {
    const Matrix q = haar_orthogonal(n, n, key_of(50000 + i));
    mean += q / samples;
    square += q.cwiseAbs2() / samples;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * std::sqrt(1.0 / n / samples));
  EXPECT_LT((square.array() - 1.0 / n).abs().maxCoeff(), 5 * std::sqrt((fourth - 1.0 / (n * n)) / samples));
}

}  // namespace
}  // namespace rezero
