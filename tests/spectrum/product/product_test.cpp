/// Products of factors: shapes, exact zeros, scales, and results that must be bitwise equal.

#include "rezero/spectrum/product.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"
#include "spectrum/product_cases.h"

namespace rezero::testing {
namespace {

constexpr Real eps = std::numeric_limits<Real>::epsilon();

TEST(Product, IdentityChainIsOneBitwise) {
  const ProductValues values = product_singular_values(factors_of(std::vector<Matrix>(40, identity(7))));
  ASSERT_EQ(values.sigma.size(), 7u);
  for (const ScaledReal& sigma : values.sigma) EXPECT_EQ(sigma, ScaledReal::make(1));
  ASSERT_TRUE(values.volume);
  EXPECT_EQ(*values.volume, ScaledReal::make(1));
  EXPECT_EQ(values.relative_error_estimate, 16 * 7 * eps);  // 16 times the least difference
}

TEST(Product, PowersOfTwoStayExactAtAnyExponent) {
  Vector d(5);
  d << 0x1p-300, 4, 1, 0x1p700, -0x1p-3;
  std::vector<Matrix> factors(200, d.asDiagonal().toDenseMatrix());
  const ProductValues values = product_singular_values(factors_of(factors));
  const std::int64_t exponents[] = {700 * 200, 2 * 200, 0, -3 * 200, -300 * 200};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(values.sigma[i], ScaledReal::make(1, exponents[i])) << "value " << i;
}

/// Entries of one factor that are more than 2^1074 apart do not fit into one matrix: the lost ones are
/// unresolved, not proved zeros.
TEST(Product, OneFactorBeyondTheRangeOfDoubleIsUnresolved) {
  Vector d(2);
  d << 0x1p-900, 0x1p700;
  const ProductValues values = product_singular_values(factors_of({d.asDiagonal().toDenseMatrix()}));
  EXPECT_EQ(values.rank, 1);
  EXPECT_EQ(values.rank_bound, 2);
  EXPECT_EQ(values.sigma[0], ScaledReal::make(1, 700));
}

TEST(Product, OfOneNumber) {
  std::vector<Matrix> factors(3000, Matrix::Constant(1, 1, -0.375));
  const ProductValues values = product_singular_values(factors_of(factors));
  ASSERT_EQ(values.sigma.size(), 1u);
  EXPECT_NEAR(values.sigma[0].log() / (3000 * std::log(0.375)), 1, 1e-13);
}

/// Diagonal factors between rotations: the values are known where the rotations cancel.
TEST(Product, GradedFactorBetweenRotations) {
  const Matrix U = orthogonal(6, 6, 3);
  Vector d(6);
  d << 1e8, 1e3, 1, 1e-4, 1e-9, 1e-15;
  std::vector<Matrix> factors;
  for (int l = 0; l < 40; ++l) factors.push_back(d.asDiagonal());
  factors.push_back(U);
  const ProductValues values = product_singular_values(factors_of(factors));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(values.sigma[i].log10(), 40 * std::log10(d(static_cast<Index>(i))), 1e-11) << "value " << i;
}

TEST(Product, NoFactorsAreTheIdentity) {
  const ProductValues values = GradedProduct(identity(3)).values();
  EXPECT_EQ(values.rank, 3);
  for (const ScaledReal& sigma : values.sigma) EXPECT_EQ(sigma, ScaledReal::make(1));
}

TEST(Product, MasksAreCountedAndProved) {
  // Each factor keeps its rows 0 … 7 − l, or its columns: rank 4 in the end.
  for (const bool rows : {true, false}) {
    std::vector<Matrix> factors;
    for (int l = 0; l < 5; ++l) {
      Matrix A = gaussian(9, 9, l);
      if (rows)
        A.bottomRows(1 + l).setZero();
      else
        A.rightCols(1 + l).setZero();
      factors.push_back(A);
    }
    const ProductValues values = product_singular_values(factors_of(factors));
    EXPECT_EQ(values.rank, 4) << rows;
    EXPECT_EQ(values.rank_bound, 4) << rows;
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(values.sigma[i].is_zero(), i >= 4) << rows << i;
  }
}

/// The masks of two layers meet in a way that only the rank of their product shows: range ∩ null space.
TEST(Product, NullDirectionsInsideAreSeparated) {
  const Index n = 10;
  for (int lost = 1; lost <= 3; ++lost) {
    std::vector<Matrix> factors;
    const Matrix V = orthogonal(n, lost, 5);
    for (int l = 0; l < 30; ++l) {
      const Matrix A = Matrix::Identity(n, n) + 0.5 * gaussian(n, n, l);
      factors.push_back(A - (A * V) * V.transpose());  // A V = 0 up to rounding
    }
    const ProductValues values = product_singular_values(factors_of(factors));
    EXPECT_EQ(values.rank, n - lost);
    EXPECT_EQ(values.rank_bound, n) << "rounding proves nothing";
  }
}

/// Each factor projects out another coordinate and the next one mixes: the rank decreases one by one, from
/// large as well as small directions.
TEST(Product, RankFallsFactorByFactor) {
  const Index n = 8;
  std::vector<Matrix> factors;
  GradedProduct product(Matrix::Identity(n, n));
  for (Index l = 0; l < n; ++l) {
    Vector keep = Vector::Ones(n);
    keep.head(l + 1).setZero();
    product.push(map_of(keep.asDiagonal()));
    EXPECT_EQ(product.values().rank, n - 1 - l);
  }
}

TEST(Product, ZeroFactor) {
  const ProductValues values =
      product_singular_values(factors_of({gaussian(4, 4, 1), Matrix::Zero(4, 4), gaussian(4, 4, 2)}));
  EXPECT_EQ(values.rank, 0);
  EXPECT_EQ(values.rank_bound, 0);
  ASSERT_EQ(values.sigma.size(), 4u);
  for (const ScaledReal& sigma : values.sigma) EXPECT_TRUE(sigma.is_zero());
}

TEST(Product, AnyShapesThatFit) {
  const std::vector<Index> sizes = {6, 9, 3, 7, 5};
  std::vector<Matrix> factors;
  Matrix J = Matrix::Identity(6, 6);
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    factors.push_back(gaussian(sizes[l + 1], sizes[l], static_cast<int>(l)));
    J = factors.back() * J;
  }
  const ProductValues values = product_singular_values(factors_of(factors));
  const Vector wanted = reference_values(J);
  EXPECT_EQ(values.rank, 3);
  EXPECT_EQ(values.rank_bound, 3) << "the narrowest place proves the rank";
  ASSERT_EQ(values.sigma.size(), 5u);
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(*values.sigma[static_cast<std::size_t>(i)].to_real() / wanted(i), 1, 1e-13);
}

TEST(Product, OfSomeColumns) {
  const Matrix S = orthogonal(8, 3, 11);
  GradedProduct product(S);
  Matrix J = S;
  for (int l = 0; l < 4; ++l) {
    const Matrix A = Matrix::Identity(8, 8) + 0.3 * gaussian(8, 8, l);
    product.push(map_of(A));
    J = A * J;
  }
  const ProductValues values = product.values();
  const Vector wanted = reference_values(J);
  ASSERT_EQ(values.sigma.size(), 3u);
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(*values.sigma[static_cast<std::size_t>(i)].to_real() / wanted(i), 1, 1e-14);
}

TEST(Product, ScalesFarBeyondDouble) {
  // 2^±900 alternating, or always in the same direction: the values of the plain chain times 2^e, bitwise.
  const std::vector<Matrix> plain = chain(60, [](int l) { return gaussian(6, 6, l); });
  const ProductValues wanted = product_singular_values(factors_of(plain));
  std::vector<Matrix> scaled = plain;
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < scaled.size(); ++l) {
    const int e = l % 3 == 0 ? -900 : 1000;
    scaled[l] *= std::ldexp(1.0, e);
    sum += e;
  }
  const ProductValues values = product_singular_values(factors_of(scaled));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(values.sigma[i].mantissa, wanted.sigma[i].mantissa);
    EXPECT_EQ(values.sigma[i].exponent, wanted.sigma[i].exponent + sum);
  }
}

TEST(Product, SameBytesEachTimeAndLookingChangesNothing) {
  const std::vector<Matrix> factors = chain(60, [](int l) { return gaussian(16, 16, l); });
  GradedProduct watched(Matrix::Identity(16, 16)), plain(Matrix::Identity(16, 16));
  for (const Matrix& A : factors) {
    watched.push(map_of(A)), plain.push(map_of(A));
    static_cast<void>(watched.values());
  }
  const ProductValues a = watched.values(), b = plain.values();
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(a.sigma[i], b.sigma[i]);
  EXPECT_EQ(a.relative_error_estimate, b.relative_error_estimate);
}

/// The product of the values is that of the pivots, in which no Jacobi rotation was involved.
TEST(Product, VolumeIsTheProductOfTheValues) {
  const ProductValues values =
      product_singular_values(factors_of(chain(200, [](int l) { return gaussian(16, 16, l); })));
  ScaledReal product = ScaledReal::make(1);
  for (const ScaledReal& sigma : values.sigma)
    product = ScaledReal::make(product.mantissa * sigma.mantissa, product.exponent + sigma.exponent);
  EXPECT_LT(relative_error(product, *values.volume),
            8 * static_cast<Real>(values.rank) * values.relative_error_estimate);
}

/// A bad factor inside a group of good ones is detected, and the group is split.
TEST(Product, SurprisesInsideAGroup) {
  std::vector<Matrix> factors =
      chain(24, [](int l) { return Matrix(identity(12) + 0.02 * gaussian(12, 12, l)); });
  Vector d = Vector::Ones(12);
  d(3) = 1e-7, d(7) = 1e-9;
  for (const std::size_t at : {13u, 14u, 21u})
    factors[at] = orthogonal(12, 12, 31) * d.asDiagonal() * orthogonal(12, 12, 32);
  const ProductValues values = product_singular_values(factors_of(factors));
  EXPECT_EQ(values.rank, 12);
  EXPECT_LT(values.relative_error_estimate,
            16e-6);  // 16 times the difference between sweeps; κ = 1e9 for each of the three: 3e9 eps
  Real determinant = 0;
  for (const Matrix& A : factors) determinant += std::log(std::abs(A.determinant()));
  EXPECT_NEAR(log_product(values), determinant, 1e-6);
}

TEST(Product, RefusesWhatDoesNotFit) {
  GradedProduct product(Matrix::Identity(4, 4));
  EXPECT_THROW(product.push(map_of(gaussian(4, 5, 0))), ShapeError);
  Matrix A = gaussian(4, 4, 0);
  A(1, 2) = std::nan("");
  EXPECT_THROW(product.push(map_of(A)), NumericalError);
}

}  // namespace
}  // namespace rezero::testing
