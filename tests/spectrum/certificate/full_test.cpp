#include <gtest/gtest.h>

#include <limits>

#include "spectrum/certificate/full.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::orthogonal;
using testing::random_matrix;
using testing::with_values;
constexpr Real resolution = 2e-14;

struct Case {
  Matrix A;
  Vector s;
};

Case well_conditioned(Index n) {
  Vector s = Vector::LinSpaced(n, 0.9, 0.1);
  return {with_values(s, 3), s};
}

std::string fault_of(ConstColumns A, const Vector& s, Real relative_resolution = resolution) {
  return detail::full_fault(detail::measure(A, 1), s, relative_resolution);
}

void expect_caught(const Matrix& A, const Vector& s, const std::string& part_of_fault) {
  const std::string fault = fault_of(A, s);
  EXPECT_FALSE(fault.empty());
  EXPECT_NE(fault.find(part_of_fault), std::string::npos) << fault;
}

TEST(Certificate, PassesTheTruth) {
  for (Index n : {1, 2, 17, 64, 200}) {
    const Case c = well_conditioned(n);
    EXPECT_EQ(fault_of(c.A, c.s), "");
  }
}

TEST(Certificate, PassesRectangularsBothWays) {
  const Vector s = Vector::LinSpaced(40, 0.9, 0.01);
  const Matrix A = orthogonal(90, 40, 1) * s.asDiagonal() * orthogonal(40, 40, 2).transpose();
  EXPECT_EQ(fault_of(A, s), "");
  EXPECT_EQ(fault_of(A.transpose(), s), "");
}

TEST(Certificate, PassesSingularMatrices) {
  Vector s = Vector::Zero(64);
  s.head(20).setConstant(0.5);
  EXPECT_EQ(fault_of(with_values(s, 5), s), "");
  EXPECT_EQ(fault_of(Matrix::Zero(5, 5), Vector::Zero(5), 0), "");
}

TEST(Certificate, CatchesNumbersThatAreNoSpectrum) {
  Case c = well_conditioned(16);
  Vector s = c.s;
  s[7] = std::numeric_limits<Real>::quiet_NaN();
  expect_caught(c.A, s, "not finite");
  s = c.s;
  s[15] = -s[15];
  expect_caught(c.A, s, "negative");
  s = c.s;
  std::swap(s[3], s[4]);
  expect_caught(c.A, s, "not descending");
  expect_caught(c.A, c.s.head(15), "15 values");
}

TEST(Certificate, CatchesAMatrixThatIsNotFinite) {
  Case c = well_conditioned(16);
  c.A(3, 9) = std::numeric_limits<Real>::quiet_NaN();
  expect_caught(c.A, c.s, "not finite");
  c.A(3, 9) = std::numeric_limits<Real>::infinity();
  expect_caught(c.A, c.s, "not finite");
}

TEST(Certificate, CatchesADroppedValue) {
  const Case c = well_conditioned(64);
  Vector s = c.s;
  for (Index i = 20; i + 1 < 64; ++i) s[i] = s[i + 1];
  s[63] = 0;
  expect_caught(c.A, s, "differ");
}

TEST(Certificate, CatchesSmallValuesSetToZero) {
  Vector s = Vector::Constant(128, 0.7);
  s.tail(40).setConstant(1e-7);
  const Matrix A = with_values(s, 11);
  EXPECT_EQ(fault_of(A, s), "");
  Vector lost = s;
  lost.tail(40).setZero();
  ASSERT_LT(std::abs(lost.norm() / s.norm() - 1), 1e-14) << "the Frobenius norm does not see them";
  expect_caught(A, lost, "log|det|");
}

TEST(Certificate, CatchesSmallValuesSetToZeroInRectangulars) {
  Vector s = Vector::Constant(60, 0.7);
  s.tail(20).setConstant(1e-7);
  const Matrix A = orthogonal(100, 60, 4) * s.asDiagonal() * orthogonal(60, 60, 5).transpose();
  EXPECT_EQ(fault_of(A, s), "");
  s.tail(20).setZero();
  expect_caught(A, s, "log|det|");
  expect_caught(A.transpose(), s, "log|det|");
}

TEST(Certificate, CatchesSmallValuesMadeTooLarge) {
  Vector s = Vector::Constant(64, 0.7);
  s.tail(10).setConstant(1e-9);
  const Matrix A = with_values(s, 12);
  s.tail(10).setConstant(2e-9);
  expect_caught(A, s, "log|det|");
}

TEST(Certificate, CatchesAWrongMultiplicity) {
  Vector s = Vector::Constant(64, 0.5);
  s.head(20).setConstant(0.8);
  const Matrix A = with_values(s, 13);
  s[20] = 0.8;
  expect_caught(A, s, "differ");
}

TEST(Certificate, CatchesAWrongMultiplicityOfTheSameNorm) {
  // a² twice and b² twice against c² four times with the same sum of squares: only ‖s‖₄ and the determinant
  // differ.
  Vector s = Vector::Constant(32, 0.5);
  s.head(2).setConstant(0.7);
  const Matrix A = with_values(s, 14);
  Vector wrong = s;
  wrong.head(4).setConstant(std::sqrt((2 * 0.49 + 2 * 0.25) / 4));
  ASSERT_NEAR(wrong.norm(), s.norm(), 1e-15);
  expect_caught(A, wrong, "||s||_4");
}

TEST(Certificate, CatchesAPerturbationOfOneValue) {
  const Case c = well_conditioned(64);
  for (Index i : {0, 20, 40, 63}) {
    Vector s = c.s;
    s[i] += 1e-10 * (i == 0 ? 1 : -1) * s[0];
    EXPECT_NE(fault_of(c.A, s), "") << i;
  }
}

}  // namespace
}  // namespace rezero
