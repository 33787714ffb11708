#pragma once
/// Candidate subspaces of singular vectors, computed by Spectra. Spectra is used in subspace.cpp only.

#include <limits>
#include <memory>
#include <string>

#include "rezero/linalg/linear_map.h"

namespace rezero::detail {

/// 8 (n + 4) eps: the effect of a loss of orthonormality, or of rounding in a residual, relative to σ_max.
inline Real rounding_bound(Index n) {
  return 8 * static_cast<Real>(n + 4) * std::numeric_limits<Real>::epsilon();
}

/// Bases that, according to an iterative solver, span singular vectors of A. They are not trusted.
struct Subspace {
  Matrix left, right;      ///< rows × k and cols × k, or empty
  Index applications = 0;  ///< columns to which A, Aᵀ or a solve with them was applied
  std::string failure;     ///< empty, or the reason why there is no basis
};

/// For the k largest values of A (rows ≥ cols > k): Lanczos on AᵀA.
Subspace largest_subspace(const Matrix& A, Index k, const Vector& start);

/// A = QR, Householder. Cost 2 m n² and one copy of A.
struct QrFactors;
using QrFactorsPtr = std::shared_ptr<const QrFactors>;
QrFactorsPtr qr_factors(const Matrix& A);

/// For the k smallest values of A = QR: Lanczos on (RᵀR)⁻¹, hence two triangular solves per step. left = Q
/// R⁻ᵀ right, since A applied to a small singular vector is mostly rounding error.
Subspace smallest_subspace(const QrFactorsPtr& qr, Index k, const Vector& start);

/// v ↦ s R⁻ᵀ v for A = QR, s the smallest diagonal entry of R: largest where A is smallest.
LinearMapPtr inverse_map(QrFactorsPtr qr);

}  // namespace rezero::detail
