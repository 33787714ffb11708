#include "rezero/linalg/scaled_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::normal;

constexpr Real infinity = std::numeric_limits<Real>::infinity();

TEST(MaxAbs, LargestMagnitude) {
  EXPECT_EQ(max_abs(Matrix(0, 3)), 0);
  EXPECT_EQ(max_abs(Matrix(3, 0)), 0);
  EXPECT_EQ(max_abs(Matrix::Zero(2, 2)), 0);
  Matrix A = normal(5, 4, 1);
  A(3, 2) = -17;
  EXPECT_EQ(max_abs(A), 17);
  EXPECT_EQ(max_abs(A.block(0, 0, 5, 2)), A.leftCols(2).cwiseAbs().maxCoeff());
}

/// For any position of the NaN, and any other entries.
TEST(MaxAbs, NeverLosesANan) {
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Real other : {1.0, infinity, -infinity, 1e308}) {
        Matrix A = Matrix::Constant(7, 3, 0.5);
        A(6 - i, 2 - j) = other;
        A(i, j) = std::nan("");
        EXPECT_TRUE(std::isnan(max_abs(A))) << i << ' ' << j << ' ' << other;
      }
  Matrix A = Matrix::Ones(3, 3);
  A(2, 0) = -infinity;
  EXPECT_EQ(max_abs(A), infinity);
}

/// Every entry changes by a power of two: the value mantissa · 2^exponent is the same.
TEST(Renormalize, Exact) {
  for (int power : {-1040, -1022, -1001, -1000, -201, -1, 0, 1, 2, 200, 999, 1000, 1001, 1020}) {
    const Matrix unit = normal(4, 4, 2) / 4;
    ScaledMatrix a{unit, 7};
    for (int k = 0; k < std::abs(power); ++k) a.mantissa *= power > 0 ? 2.0 : 0.5;
    const Matrix before = a.mantissa;
    ASSERT_TRUE(renormalize(a));
    EXPECT_GE(max_abs(a.mantissa), 0.5) << power;
    EXPECT_LT(max_abs(a.mantissa), 1) << power;
    const int shift = static_cast<int>(a.exponent - 7);
    for (Index i = 0; i < before.size(); ++i)
      EXPECT_EQ(std::ldexp(a.mantissa(i), shift), before(i)) << power;  // subnormals come back too
    ScaledMatrix again = a;
    ASSERT_TRUE(renormalize(again));
    EXPECT_TRUE(testing::same_bytes(again.mantissa, a.mantissa));
    EXPECT_EQ(again.exponent, a.exponent);
  }
}

TEST(Renormalize, EndsOfTheRange) {
  for (Real value :
       {5e-324, std::numeric_limits<Real>::min(), std::numeric_limits<Real>::max(), 1.0, 0.5, 0.75}) {
    ScaledVector v{Vector::Constant(2, -value), -3};
    ASSERT_TRUE(renormalize(v));
    EXPECT_EQ(ScaledReal::make(-value, -3), (ScaledReal{v.mantissa(0), v.exponent})) << value;
  }
}

TEST(Renormalize, ZeroAndWhatIsNotFinite) {
  ScaledMatrix zero{Matrix::Zero(2, 2), 99};
  EXPECT_TRUE(renormalize(zero));
  EXPECT_EQ(zero.exponent, 0);
  for (Real bad : {std::nan(""), infinity, -infinity}) {
    ScaledMatrix a{Matrix::Ones(3, 3) * 8, 5};
    a.mantissa(1, 2) = bad;
    const Matrix before = a.mantissa;
    EXPECT_FALSE(renormalize(a));
    EXPECT_TRUE(testing::same_bytes(a.mantissa, before));
    EXPECT_EQ(a.exponent, 5);
  }
}

TEST(FrobeniusNorm, AnyScale) {
  const Matrix unit = normal(30, 20, 3);
  const Real norm = unit.norm();
  for (int power : {-1000, -600, -500, -1, 0, 1, 500, 600, 1000}) {
    const Matrix A = unit * std::ldexp(1.0, power);
    const ScaledReal got = frobenius_norm(A);
    EXPECT_NEAR(std::ldexp(got.mantissa, static_cast<int>(got.exponent - power)) / norm, 1,
                300 * testing::eps)
        << power;
  }
  EXPECT_TRUE(frobenius_norm(Matrix::Zero(3, 3)).is_zero());
  EXPECT_NEAR(frobenius_norm(Matrix::Constant(4, 4, 1e300)).log10(), std::log10(4.0) + 300, 1e-12);
  EXPECT_NEAR(frobenius_norm(Matrix::Constant(4, 4, 1e-300)).log10(), std::log10(4.0) - 300, 1e-12);
  EXPECT_NEAR(frobenius_norm(Matrix::Constant(3, 3, 5e-324)).log10(),
              std::log10(3.0) - 1074 * std::log10(2.0), 1e-12);
  const Real top = std::numeric_limits<Real>::max();
  EXPECT_EQ(frobenius_norm(Matrix::Constant(2, 2, top)), ScaledReal::make(top, 1));
}

TEST(FrobeniusSquare, IsTheSumItself) {
  EXPECT_EQ(frobenius_square(Matrix::Identity(128, 128)), ScaledReal::make(128));
  EXPECT_EQ(frobenius_square(Matrix::Constant(3, 3, std::ldexp(1.0, 900))), ScaledReal::make(9, 1800));
  EXPECT_EQ(frobenius_square(Matrix::Constant(3, 3, std::ldexp(1.0, -1074))), ScaledReal::make(9, -2148));
  EXPECT_TRUE(frobenius_square(Matrix::Zero(3, 3)).is_zero());
}

TEST(FrobeniusNorm, PartOfAMatrix) {
  const Matrix A = normal(9, 9, 4);
  EXPECT_EQ(frobenius_norm(A.block(2, 3, 4, 5)), frobenius_norm(Matrix(A.block(2, 3, 4, 5))));
}

}  // namespace
}  // namespace rezero
