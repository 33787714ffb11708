/// The claimed resolution depended only on the shorter side. Columns of thousands of equal entries are summed
/// with roundings of one sign: the largest value of all-equal matrices was off by three times the claim, and
/// from 5000 x 100 on it failed the certificate.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/spectrum/spectrum.h"

namespace rezero {
namespace {

TEST(Regression, ResolutionForgotTheLongerSide) {
  for (const Index rows : {1000, 2000, 5000, 20000})
    for (const Index columns : {48, 100})
      for (const bool wide : {false, true}) {
        const Matrix A = Matrix::Ones(wide ? columns : rows, wide ? rows : columns);
        SpectrumRequest request;
        request.method = "dense";
        const Spectrum spectrum = compute_spectrum(ScaledMatrix{A, 0}, request);
        ASSERT_EQ(spectrum.provenance.method, "dense") << rows << " " << columns;
        EXPECT_TRUE(spectrum.provenance.fallbacks.empty());
        const auto m = static_cast<Real>(rows), n = static_cast<Real>(columns);
        EXPECT_LE(std::abs(*spectrum.sigma.front().to_real() / std::sqrt(m * n) - 1),
                  spectrum.accuracy.relative_resolution);
        EXPECT_LE(spectrum.accuracy.relative_resolution, (8 + n / 2 + m / 8) * 2.3e-16);
      }
}

}  // namespace
}  // namespace rezero
