#pragma once
/// Matrices with known singular values, and a reference in extended precision.

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "rezero/random/philox.h"
#include "rezero/spectrum/spectrum.h"

namespace rezero::testing {

/// Entries roughly normal (sum of four uniforms), a pure function of the arguments.
inline Matrix random_matrix(Index rows, Index cols, std::uint32_t seed) {
  Matrix A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) {
      const PhiloxWords w =
          philox4x32_10({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 0, 0}, {seed, 77});
      A(i, j) =
          (w[0] / 4294967296.0 + w[1] / 4294967296.0 + w[2] / 4294967296.0 + w[3] / 4294967296.0 - 2) * 1.7;
    }
  return A;
}

/// rows × cols with orthonormal columns (rows ≥ cols).
inline Matrix orthogonal(Index rows, Index cols, std::uint32_t seed) {
  const Eigen::HouseholderQR<Matrix> qr(random_matrix(rows, cols, seed));
  return qr.householderQ() * Matrix::Identity(rows, cols);
}

/// Q₁ diag(s) Q₂ᵀ, square.
inline Matrix with_values(const Vector& s, std::uint32_t seed) {
  return orthogonal(s.size(), s.size(), seed) * s.asDiagonal() *
         orthogonal(s.size(), s.size(), seed + 1).transpose();
}

inline ScaledMatrix scaled(const Matrix& A, std::int64_t exponent = 0) {
  ScaledMatrix J{A, exponent};
  EXPECT_TRUE(renormalize(J));
  return J;
}

inline Spectrum spectrum_of(const Matrix& A, const SpectrumRequest& request = {}) {
  return compute_spectrum(scaled(A), request);
}

inline Vector values(const Spectrum& spectrum) {
  Vector s(static_cast<Index>(spectrum.sigma.size()));
  for (Index i = 0; i < s.size(); ++i) {
    const ScaledReal& value = spectrum.sigma[static_cast<std::size_t>(i)];
    s[i] = std::ldexp(value.mantissa, static_cast<int>(value.exponent));
  }
  return s;
}

/// One-sided Jacobi (Hestenes) in long double on the columns of the tall form: relative error about 1e-19
/// σ_max.
inline Vector reference_values(const Matrix& A) {
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Extended G = (A.rows() < A.cols() ? Matrix(A.transpose()) : A).cast<long double>();
  const Index n = G.cols();
  const long double enough = 1e-18L;
  for (int sweep = 0, rotated = 1; rotated != 0 && sweep < 60; ++sweep) {
    rotated = 0;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const long double a = G.col(p).squaredNorm(), b = G.col(q).squaredNorm(), c = G.col(p).dot(G.col(q));
        if (std::abs(c) <= enough * std::sqrt(a * b)) continue;
        rotated = 1;
        const long double zeta = (b - a) / (2 * c);
        const long double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const long double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        for (Index i = 0; i < G.rows(); ++i) {
          const long double x = G(i, p), y = G(i, q);
          G(i, p) = cosine * x - sine * y;
          G(i, q) = sine * x + cosine * y;
        }
      }
  }
  Vector s = G.colwise().norm().transpose().cast<Real>();
  std::sort(s.begin(), s.end(), std::greater<Real>());
  return s;
}

}  // namespace rezero::testing
