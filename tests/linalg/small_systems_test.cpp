#include "linalg/small_systems.h"

#include <gtest/gtest.h>

#include "support/draws.h"

namespace rezero {
namespace {

using testing::normal;

/// The second difference matrix: 2 − 2 cos(k π/(n + 1)), eigenvectors sin.
TEST(SmallSystems, TridiagonalSpectrum) {
  constexpr Index n = 20;
  const auto spectrum = detail::tridiagonal_spectrum(Vector::Constant(n, 2), Vector::Constant(n - 1, -1));
  const Real angle = std::acos(-1.0) / (n + 1);
  for (Index k = 0; k < n; ++k) {
    const Real at = angle * static_cast<Real>(k + 1);
    EXPECT_NEAR(spectrum.values[k], 2 - 2 * std::cos(at), 1e-14);
    EXPECT_NEAR(std::abs(spectrum.first[k]), std::sqrt(2.0 / (n + 1)) * std::sin(at), 1e-13);
  }
}

TEST(SmallSystems, LeastSquares) {
  const Matrix A = normal(12, 4, 1);
  const Vector b = normal(12, 2), x = detail::least_squares(A, b);
  EXPECT_LE((A.transpose() * (A * x - b)).norm(), 1e-13 * b.norm() * A.norm());
  Matrix twice(12, 2);
  twice << A.col(0), A.col(0) * (1 + 1e-13);
  EXPECT_LE(detail::least_squares(twice, b).norm(), 10);  // a direction of rounding error is left out
}

TEST(SmallSystems, ComplexSystems) {
  Eigen::MatrixXcd A(6, 6);
  A.real() = normal(6, 6, 3), A.imag() = normal(6, 6, 4);
  Eigen::VectorXcd b(6);
  b.real() = normal(6, 5), b.imag() = normal(6, 6);
  EXPECT_LE((A * detail::solve_complex(A, b) - b).norm(), 1e-12 * b.norm());
}

}  // namespace
}  // namespace rezero
