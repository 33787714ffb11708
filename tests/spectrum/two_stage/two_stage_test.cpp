/// Dense to band to bidiagonal: both stages against extended precision, known values, and other numbers of
/// threads.

#include <gtest/gtest.h>

#include "spectrum/matrices.h"
#include "spectrum/two_stage/bulge_chase.h"
#include "spectrum/two_stage/panel_qr.h"

namespace rezero {
namespace {

using detail::Band;
using detail::Bidiagonal;
using testing::random_matrix;

Matrix dense_of(const Band& band) {
  Matrix A = Matrix::Zero(band.size(), band.size());
  for (Index c = 0; c < band.size(); ++c)
    for (Index r = std::max<Index>(0, c - band.width); r <= c; ++r) A(r, c) = band.at(r, c);
  return A;
}

Vector values_of(const Matrix& A, Index width, int workers = 1) {
  return detail::bidiagonal_singular_values(
      detail::chase_bulges(detail::reduce_to_band(A, width, workers), workers));
}

Band random_band(Index n, Index width, std::uint32_t seed) {
  Band band{width, random_matrix(width + 1, n, seed) / 8};
  for (Index c = 0; c < std::min(width, n); ++c) band.entries.col(c).head(width - c).setZero();
  return band;
}

bool same(const Bidiagonal& a, const Bidiagonal& b) {
  return a.diagonal == b.diagonal && a.superdiagonal == b.superdiagonal;
}

/// Dense, with the singular values s: reflections on either side, each exact to a few ulps.
Matrix reflected(const Vector& s, Index rows) {
  const Index n = s.size();
  Matrix A = Matrix::Zero(rows, n);
  A.diagonal() = s;
  const Matrix left = random_matrix(rows, 6, 3).colwise().normalized(),
               right = random_matrix(n, 6, 4).colwise().normalized();
  for (Index i = 0; i < 6; ++i) {
    A -= 2 * left.col(i) * (left.col(i).transpose() * A).eval();
    A -= 2 * (A * right.col(i)).eval() * right.col(i).transpose();
  }
  return A;
}

TEST(PanelQr, ProductIsThePanelAndQIsOrthogonal) {
  for (Index columns : {1, 3, 8, 13, 24, 48})
    for (Index rows : {1, 2, 7, 8, 9, 30, 100, 200}) {
      const Matrix P = random_matrix(rows, columns, static_cast<std::uint32_t>(rows + columns)) / 8;
      detail::PanelQr qr(200, 48);
      qr.panel(rows, columns) = P;
      qr.factor();
      const Matrix Q = Matrix::Identity(rows, rows) - qr.W_transpose().transpose() * qr.V().transpose();
      Matrix R = Matrix::Zero(rows, columns);
      const Index rank = std::min(rows, columns);
      R.topRows(rank) = qr.R().topRows(rank);
      EXPECT_LE((Q.transpose() * Q - Matrix::Identity(rows, rows)).cwiseAbs().maxCoeff(), 4e-15)
          << rows << " × " << columns;
      EXPECT_LE((Q * R - P).cwiseAbs().maxCoeff(), 4e-15) << rows << " × " << columns;
      EXPECT_TRUE(qr.R().isUpperTriangular(0));
    }
}

/// Columns that are zero, equal, or too small to have a square.
TEST(PanelQr, DegenerateColumns) {
  Matrix P = random_matrix(40, 24, 5) / 8;
  P.col(0).setZero();
  P.col(5) = P.col(4);
  P.col(9) *= 1e-200;
  P.col(10) *= 1e-130;
  P.rightCols(6).setZero();
  detail::PanelQr qr(40, 24);
  qr.panel(40, 24) = P;
  qr.factor();
  const Matrix Q = Matrix::Identity(40, 40) - qr.W_transpose().transpose() * qr.V().transpose();
  Matrix R = Matrix::Zero(40, 24);
  R.topRows(24) = qr.R();
  EXPECT_LE((Q.transpose() * Q - Matrix::Identity(40, 40)).cwiseAbs().maxCoeff(), 4e-15);
  EXPECT_LE((Q * R - P).cwiseAbs().maxCoeff(), 4e-15);
  EXPECT_EQ(R.col(0), Vector::Zero(40));
}

TEST(TwoStage, BandKeepsTheValues) {
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {2, 2}, {24, 24}, {25, 25}, {60, 60}, {75, 50}})
    for (Index width : {8, 16, 24, 48}) {
      const Matrix A = random_matrix(rows, cols, 11) / 8;
      const Vector truth = testing::reference_values(A),
                   found = testing::reference_values(dense_of(detail::reduce_to_band(A, width, 2)));
      EXPECT_LE((found - truth).cwiseAbs().maxCoeff(), 1e-14 * truth[0])
          << rows << " × " << cols << ", " << width;
    }
}

TEST(TwoStage, ChaseKeepsTheValues) {
  for (Index n : {1, 2, 3, 9, 40, 61})
    for (Index width : {1, 2, 5, 8, 16, 40}) {
      if (width >= n) continue;
      const Band band = random_band(n, width, 7);
      const Vector truth = testing::reference_values(dense_of(band)),
                   found = detail::bidiagonal_singular_values(detail::chase_bulges(band, 2));
      EXPECT_LE((found - truth).cwiseAbs().maxCoeff(), 1e-14 * truth[0]) << n << ", " << width;
    }
}

TEST(SlowTwoStage, AllSizesAgainstExtendedPrecision) {
  for (Index n = 1; n <= 130; ++n) {
    const Matrix A = random_matrix(n + n % 3, n, static_cast<std::uint32_t>(n)) / 8;
    const Vector truth = testing::reference_values(A);
    for (Index width : {16, 24})
      EXPECT_LE((values_of(A, width) - truth).cwiseAbs().maxCoeff(), 1e-14 * truth[0]) << n << ", " << width;
  }
}

TEST(SlowTwoStage, LargeMatricesWithKnownValues) {
  for (const auto& [rows, cols, width] : {std::tuple<Index, Index, Index>{777, 777, 24},
                                          {1023, 1023, 24},
                                          {2500, 300, 16},
                                          {1537, 1537, 48},
                                          {2048, 2048, 48},
                                          {4096, 4096, 48}}) {
    Vector s(cols);
    for (Index i = 0; i < cols; ++i) s[i] = std::exp(-20 * static_cast<Real>(i) / static_cast<Real>(cols));
    EXPECT_LE((values_of(reflected(s, rows), width, 2) - s).cwiseAbs().maxCoeff(), 1e-14)
        << rows << " × " << cols;
  }
}

TEST(TwoStage, BytesDoNotDependOnTheThreads) {
  for (Index n : {97, 230, 515}) {
    const Matrix A = random_matrix(n + 3, n, 9) / 8;
    const Band band = detail::reduce_to_band(A, 16, 1);
    const Bidiagonal B = detail::chase_bulges(band, 1);
    const Vector sigma = detail::bidiagonal_singular_values(B);
    for (int workers : {2, 3, 5, 8}) {
      const Band again = detail::reduce_to_band(A, 16, workers);
      EXPECT_EQ(band.entries, again.entries) << n << ", " << workers;
      const Bidiagonal C = detail::chase_bulges(again, workers);
      EXPECT_TRUE(same(B, C)) << n << ", " << workers;
      EXPECT_EQ(sigma, detail::bidiagonal_singular_values(C, workers)) << n << ", " << workers;
    }
  }
}

/// A step that starts before its neighbours have passed would change the result: rarely, and only with
/// threads.
TEST(SlowTwoStage, ChaseTenThousandTimesOnManyThreads) {
  constexpr int runs = 10000;
  for (int run = 0; run < runs;) {
    const Index width = 2 + run / 250 % 7, n = 21 * width + 5 + 2 * (run / 1750);
    const Band band = random_band(n, width, static_cast<std::uint32_t>(run));
    const Bidiagonal B = detail::chase_bulges(band, 1);
    for (int i = 0; i < 250; ++i, ++run)
      ASSERT_TRUE(same(B, detail::chase_bulges(band, 2 + run % 7))) << n << ", " << width << ", run " << run;
  }
}

TEST(TwoStage, ZeroAndRankOne) {
  EXPECT_EQ(values_of(Matrix::Zero(100, 100), 16), Vector::Zero(100));
  const Vector ones = values_of(Matrix::Constant(150, 120, 0.01), 16);
  EXPECT_NEAR(ones[0], 0.01 * std::sqrt(150.0 * 120.0), 1e-14);
  EXPECT_LE(ones[1], 1e-14);
}

}  // namespace
}  // namespace rezero
