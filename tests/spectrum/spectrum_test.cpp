#include "rezero/spectrum/spectrum.h"

#include <gtest/gtest.h>

#include <limits>

#include "rezero/core/error.h"
#include "spectrum/certificate/full.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::orthogonal;
using testing::random_matrix;
using testing::spectrum_of;
using testing::values;
using testing::with_values;

void expect_ok(const Spectrum& s) {
  EXPECT_EQ(s.status, SpectrumStatus::converged) << s.message;
  EXPECT_TRUE(s.accuracy.certified);
  EXPECT_TRUE(s.provenance.fallbacks.empty())
      << s.provenance.fallbacks.front().method << ": " << s.provenance.fallbacks.front().reason;
}

void expect_values(const Spectrum& s, const Vector& truth, Real tolerance) {
  expect_ok(s);
  ASSERT_EQ(static_cast<Index>(s.sigma.size()), truth.size());
  EXPECT_LE((values(s) - truth).cwiseAbs().maxCoeff(), tolerance * truth[0]);
}

TEST(Spectrum, IdentityIsExactlyOne) {
  for (Index n : {1, 2, 64, 129}) {
    const Spectrum s = compute_spectrum({Matrix::Identity(n, n), 0}, {});
    expect_ok(s);
    for (const ScaledReal& value : s.sigma) EXPECT_EQ(value, ScaledReal::make(1.0));
    EXPECT_EQ(s.accuracy.relative_resolution, 0);
    EXPECT_EQ(s.unresolved(), 0);
  }
}

TEST(Spectrum, MultiplesOfTheIdentityFarBeyondDoubleAreExact) {
  for (int e : {-900, 900}) {
    const Spectrum s = spectrum_of(std::ldexp(0.75, e) * Matrix::Identity(20, 20));
    for (const ScaledReal& value : s.sigma) EXPECT_EQ(value, (ScaledReal{0.75, e}));
  }
  const Spectrum far = compute_spectrum({0.75 * Matrix::Identity(5, 5), 123456789}, {});
  EXPECT_EQ(far.sigma[4], (ScaledReal{0.75, 123456789}));
}

TEST(Spectrum, DenseMatricesScaleExactly) {
  const Matrix A = random_matrix(30, 30, 1);
  const Spectrum near = compute_spectrum(testing::scaled(A), {}),
                 far = compute_spectrum(testing::scaled(A, 5000), {});
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(near.sigma[i].mantissa, far.sigma[i].mantissa);
    EXPECT_EQ(near.sigma[i].exponent + 5000, far.sigma[i].exponent);
  }
}

TEST(Spectrum, DiagonalMaskHasExactOnesAndProvedZeros) {
  Vector mask = Vector::Ones(40);
  for (Index i = 0; i < 40; i += 3) mask[i] = 0;
  const Spectrum s = spectrum_of(mask.asDiagonal());
  expect_ok(s);
  EXPECT_EQ(s.null_directions, 14);
  EXPECT_EQ(s.unresolved(), 0);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(s.sigma[i], i < 26 ? ScaledReal::make(1.0) : ScaledReal{});
}

TEST(Spectrum, SignedPermutationOfADiagonalIsExact) {
  Matrix A = Matrix::Zero(4, 6);
  A(0, 5) = -0.3, A(1, 0) = 1e-300, A(2, 2) = 0.9;
  const Spectrum s = spectrum_of(A);
  EXPECT_EQ(values(s), (Vector(4) << 0.9, 0.3, 1e-300, 0).finished());
  EXPECT_EQ(s.null_directions, 1);
  EXPECT_EQ(s.provenance.method, "permuted-diagonal");
}

TEST(Spectrum, ZeroMatrixIsAllNullDirections) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {7, 7}, {3, 9}}) {
    const Spectrum s = spectrum_of(Matrix::Zero(rows, cols));
    expect_ok(s);
    EXPECT_EQ(s.null_directions, std::min(rows, cols));
    EXPECT_EQ(s.unresolved(), 0);
    EXPECT_TRUE(s.sigma_max.is_zero());
  }
}

TEST(Spectrum, ZeroRowsAndColumnsAreNullDirections) {
  Matrix A = random_matrix(20, 30, 2);
  A.col(3).setZero();  // ten columns are spare in a 20 × 30 matrix
  EXPECT_EQ(spectrum_of(A).null_directions, 0);
  A.leftCols(13).setZero();
  Spectrum s = spectrum_of(A);
  EXPECT_EQ(s.null_directions, 3);
  EXPECT_EQ(s.unresolved(), 0);
  A.topRows(5).setZero();
  s = spectrum_of(A);
  EXPECT_EQ(s.null_directions, 5);
  expect_values(s, testing::reference_values(A), 1e-14);
  EXPECT_TRUE(s.sigma[15].is_zero() && !s.sigma[14].is_zero());
}

TEST(Spectrum, RankOneHasOneValueAndUnresolvedRest) {
  const Matrix A = random_matrix(50, 1, 3) * random_matrix(1, 50, 4);
  const Spectrum s = spectrum_of(A);
  expect_values(s, testing::reference_values(A), 1e-15);
  EXPECT_EQ(s.null_directions, 0) << "no zero is proved";
  EXPECT_EQ(s.unresolved(), 49);
}

TEST(Spectrum, MaskBetweenOrthogonals) {
  Vector mask = Vector::Ones(60);
  mask.tail(25).setZero();
  const Spectrum s = spectrum_of(with_values(mask, 5));
  expect_values(s, mask, 1e-14);
  EXPECT_EQ(s.unresolved(), 25);
}

TEST(Spectrum, TwoAndThreeValuedAndRepeatedExtremes) {
  Vector s = Vector::Constant(96, 0.5);
  s.head(30).setConstant(2);
  expect_values(spectrum_of(with_values(s, 6)), s, 1e-14);
  s.tail(20).setConstant(1e-3);
  expect_values(spectrum_of(with_values(s, 7)), s, 1e-14);
  s.segment(30, 46) = Vector::LinSpaced(46, 1.9, 0.01);
  expect_values(spectrum_of(with_values(s, 8)), s, 1e-14);
}

TEST(Spectrum, GradedDiagonalAndGradedDense) {
  Vector d(31);
  for (Index i = 0; i < 31; ++i) d[i] = std::pow(10.0, -10.0 * static_cast<Real>(i));
  const Spectrum exact = spectrum_of(d.asDiagonal());
  EXPECT_EQ(values(exact), d);
  EXPECT_EQ(exact.unresolved(), 0);
  const Spectrum rounded = spectrum_of(with_values(d, 9));
  expect_values(rounded, d, 1e-14);
  EXPECT_EQ(rounded.unresolved(), 29);
}

TEST(Spectrum, EntriesFarBelowTheLargest) {
  Matrix A = random_matrix(40, 40, 10) * 1e-300;
  A(7, 9) = 0.8;
  expect_values(spectrum_of(A), testing::reference_values(A), 1e-15);
  A.row(3) *= 1e300;
  A.col(30) *= 1e150;
  expect_values(spectrum_of(A), testing::reference_values(A), 1e-15);
}

TEST(Spectrum, KahanMatrix) {
  const Index n = 90;
  Matrix K = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    K(i, i) = std::pow(std::sin(1.2), static_cast<Real>(i));
    for (Index j = i + 1; j < n; ++j) K(i, j) = -std::cos(1.2) * K(i, i);
  }
  expect_values(spectrum_of(K), testing::reference_values(K), 2e-14);
}

TEST(Spectrum, SingleRowsAndColumns) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 17}, {17, 1}}) {
    const Matrix A = random_matrix(rows, cols, 11);
    expect_values(spectrum_of(A), Vector::Constant(1, A.norm()), 1e-15);
  }
}

TEST(Spectrum, NonFiniteInputIsABreakdownByName) {
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    for (const char* method : {"auto", "dense", "bdcsvd", "jacobi", "spectra"}) {
      Matrix A = random_matrix(12, 12, 12);
      A(4, 5) = bad;
      SpectrumRequest request;
      request.method = method;
      request.top = 2;
      const Spectrum s = compute_spectrum({A, 0}, request);
      EXPECT_EQ(s.status, SpectrumStatus::breakdown);
      EXPECT_TRUE(s.sigma.empty());
      EXPECT_FALSE(s.accuracy.certified);
      EXPECT_NE(s.message.find("not finite"), std::string::npos);
    }
  }
}

TEST(Spectrum, ResolvedComparesWithTheLargest) {
  Spectrum s;
  s.sigma = {ScaledReal::make(1.0, 5000), ScaledReal::make(1.0, 4960), ScaledReal::make(1.0, 4940),
             ScaledReal{}};
  s.sigma_max = s.sigma[0];
  s.accuracy.relative_resolution = 1e-14;
  s.null_directions = 1;
  EXPECT_TRUE(s.resolved(0) && s.resolved(1));
  EXPECT_FALSE(s.resolved(2) || s.resolved(3));
  EXPECT_EQ(s.unresolved(), 1);
}

TEST(Spectrum, WordsOfTheReport) {
  EXPECT_EQ(to_string(SpectrumPart::both_ends), "both_ends");
  EXPECT_EQ(to_string(SpectrumStatus::breakdown), "breakdown");
  EXPECT_EQ(to_string(Extremal::verified), "verified");
}

TEST(Spectrum, SameBytesWhereverTheMatrixLies) {
  const Matrix A = random_matrix(70, 60, 13) / 8;
  const Vector s = values(spectrum_of(A)), wrong = s * 1.001;
  EXPECT_EQ(s, values(spectrum_of(A)));
  const auto fault_of = [](ConstColumns matrix, const Vector& sigma) {
    return detail::full_fault(detail::measure(matrix, 1), sigma, 1e-14);
  };
  const std::string fault = fault_of(A, wrong);
  std::vector<Real> storage(70 * 60 + 8);
  for (Index offset = 0; offset < 8; ++offset) {
    Eigen::Map<Matrix> shifted(storage.data() + offset, 70, 60);
    shifted = A;
    EXPECT_EQ(fault_of(shifted, s), "");
    EXPECT_EQ(fault_of(shifted, wrong), fault);
  }
}

}  // namespace
}  // namespace rezero
