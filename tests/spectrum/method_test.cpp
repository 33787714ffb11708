#include "rezero/spectrum/method.h"

#include <gtest/gtest.h>

#include "rezero/parallel/for_each.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::random_matrix;
using testing::spectrum_of;
using testing::values;
using testing::with_values;

/// Matrices on which every full method must agree to within its claim.
std::vector<Matrix> law_cases() {
  const Index n = 40;
  Vector two = Vector::Ones(n), graded(n);
  two.tail(15).setConstant(0.25);
  for (Index i = 0; i < n; ++i) graded[i] = std::pow(10.0, -static_cast<Real>(i));
  Vector mask = Vector::Ones(n);
  mask.tail(n / 2).setZero();
  return {random_matrix(n, n, 1),     random_matrix(n, 25, 2),
          random_matrix(25, n, 3),    with_values(two, 4),
          with_values(graded, 5),     with_values(mask, 6),
          Matrix::Identity(n, n),     Matrix::Zero(n, n),
          Matrix::Constant(n, n, .7), random_matrix(n, n, 7) * 1e-200,
          random_matrix(1, 1, 8),     random_matrix(1, n, 9),
          random_matrix(n, 1, 10)};
}

TEST(LawMethods, FullMethodsAgreeWithExtendedPrecision) {
  const std::vector<Matrix> cases = law_cases();
  for (const SpectrumMethod& method : spectrum_methods()) {
    if (!method.full) continue;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SpectrumRequest request;
      request.method = method.name;
      const Spectrum s = spectrum_of(cases[i], request);
      ASSERT_EQ(s.status, SpectrumStatus::converged) << method.name << " on " << i << ": " << s.message;
      const Vector truth = testing::reference_values(cases[i]);
      EXPECT_LE((values(s) - truth).cwiseAbs().maxCoeff(),
                std::max(s.accuracy.relative_resolution, 1e-15) * truth[0])
          << method.name << " on " << i;
    }
  }
}

TEST(LawMethods, BisectionOnAllSizes) {
  for (Index n = 1; n <= 130; n += n < 20 ? 1 : 11)
    for (Index rows : {n, n + 1, 2 * n}) {
      const Matrix A = random_matrix(rows, n, static_cast<std::uint32_t>(n));
      const Vector truth = testing::reference_values(A);
      const Spectrum s = spectrum_of(n % 2 == 0 ? A : Matrix(A.transpose()));
      ASSERT_TRUE(s.accuracy.certified && s.provenance.fallbacks.empty()) << rows << " × " << n;
      EXPECT_LE((values(s) - truth).cwiseAbs().maxCoeff(), 2e-14 * truth[0]) << rows << " × " << n;
    }
}

/// The families that come closest to the claimed bound (docs/accuracy.md): all-equal, orthogonal, two-valued,
/// Kahan.
TEST(LawMethods, ErrorsStayWithinTheClaim) {
  for (Index n = 1; n <= 70; n += n < 30 ? 1 : 8) {
    Vector two = Vector::Ones(n);
    two.tail(n / 2).setConstant(0.5);
    Matrix kahan = Matrix::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      kahan(i, i) = std::pow(std::sin(0.4), static_cast<Real>(i));
      for (Index j = i + 1; j < n; ++j) kahan(i, j) = -std::cos(0.4) * kahan(i, i);
    }
    for (const Matrix& A :
         {Matrix(Matrix::Constant(n, n, 0.7)), testing::orthogonal(n, n, 3), with_values(two, 4), kahan}) {
      const Spectrum s = spectrum_of(A);
      const Vector truth = testing::reference_values(A);
      ASSERT_TRUE(s.accuracy.certified && s.provenance.fallbacks.empty()) << n;
      EXPECT_LE((values(s) - truth).cwiseAbs().maxCoeff(),
                std::max(s.accuracy.relative_resolution, 4e-16) * truth[0])
          << n;
    }
  }
}

TEST(LawMethods, SameBytesOnAnyThread) {
  const auto compute = [](Index i) {
    SpectrumRequest request;
    if (i % 3 == 1) request.method = "spectra", request.top = 3;
    if (i % 3 == 2) request.method = "spectra", request.bottom = 2;
    return values(spectrum_of(random_matrix(40 + i, 50, static_cast<std::uint32_t>(i)), request));
  };
  std::vector<Vector> threaded(24);
  for_each_index(24, 3, [&](Index i) { threaded[static_cast<std::size_t>(i)] = compute(i); });
  for (Index i = 0; i < 24; ++i) EXPECT_EQ(threaded[static_cast<std::size_t>(i)], compute(i)) << i;
}

/// A method that fails or returns wrong values is detected, recorded, and followed by the next one.
TEST(SpectrumMethods, ConstantMatricesPassWhereDivideAndConquerGivesNan) {
  for (Index n : {64, 384}) {
    SpectrumRequest request;
    request.method = "bdcsvd";
    const Spectrum s = spectrum_of(Matrix::Constant(n, n, 0.1), request);
    ASSERT_EQ(s.status, SpectrumStatus::converged);
    EXPECT_NEAR(values(s)[0], 0.1 * static_cast<Real>(n), 1e-13 * static_cast<Real>(n));
    if (s.provenance.method == "bdcsvd") continue;
    EXPECT_EQ(s.provenance.method, "dense");
    ASSERT_FALSE(s.provenance.fallbacks.empty());
    EXPECT_EQ(s.provenance.fallbacks[0].method, "bdcsvd");
  }
}

TEST(SlowSpectrum, AllSizesAgainstExtendedPrecision) {
  for (Index n = 1; n <= 130; ++n) {
    const Matrix A = random_matrix(n, n, static_cast<std::uint32_t>(n + 1000));
    const Vector truth = testing::reference_values(A);
    const Spectrum s = spectrum_of(A);
    ASSERT_TRUE(s.accuracy.certified && s.provenance.fallbacks.empty()) << n;
    EXPECT_LE((values(s) - truth).cwiseAbs().maxCoeff(), 2e-14 * truth[0]) << n;
  }
}

TEST(SlowSpectrum, LargeRectangularsBothWays) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{512, 512}, {512, 100}, {100, 512}, {300, 299}}) {
    Vector s(std::min(rows, cols));
    for (Index i = 0; i < s.size(); ++i) s[i] = std::exp(-0.02 * static_cast<Real>(i));
    const Matrix A = testing::orthogonal(std::max(rows, cols), s.size(), 1) * s.asDiagonal() *
                     testing::orthogonal(s.size(), s.size(), 2).transpose();
    const Spectrum spectrum = spectrum_of(rows < cols ? Matrix(A.transpose()) : A);
    ASSERT_TRUE(spectrum.accuracy.certified && spectrum.provenance.fallbacks.empty())
        << rows << " × " << cols;
    EXPECT_LE((values(spectrum) - s).cwiseAbs().maxCoeff(), 2e-14) << rows << " × " << cols;
  }
}

TEST(SlowSpectrum, AllEqualMatrices) {
  for (Index n : {384, 500, 700, 768, 1024}) {
    const Spectrum s = spectrum_of(Matrix::Constant(n, n, 0.1));
    ASSERT_TRUE(s.accuracy.certified && s.provenance.fallbacks.empty())
        << n << ": " << s.provenance.fallbacks.front().reason;
    EXPECT_NEAR(values(s)[0] / (0.1 * static_cast<Real>(n)), 1, s.accuracy.relative_resolution);
    EXPECT_EQ(s.unresolved(), n - 1);
  }
}

}  // namespace
}  // namespace rezero
