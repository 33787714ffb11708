#pragma once
/// Candidate subspaces of singular vectors, computed by Spectra. Spectra is used in subspace.cpp only.

#include <limits>
#include <memory>
#include <string>

#include "rezero/linalg/linear_map.h"

namespace rezero::detail {

/// 8 (n + 4) eps: what a loss of orthonormality or the rounding of a residual may cost, relative to σ_max.
inline Real rounding_bound(Index n) {
  return 8 * static_cast<Real>(n + 4) * std::numeric_limits<Real>::epsilon();
}

/// Bases that an iterative solver claims to span singular vectors of A. Nothing of them is trusted.
struct Subspace {
  Matrix left, right;      ///< rows × k and cols × k, or empty
  Index applications = 0;  ///< columns that A, Aᵀ or a solve with them was applied to
  std::string failure;     ///< empty, or why there is no basis
};

/// For the k largest values of A (rows ≥ cols > k): Lanczos on AᵀA.
Subspace largest_subspace(const Matrix& A, Index k, const Vector& start);

/// A = QR, Householder. Cost 2 m n² and one copy of A.
struct QrFactors;
using QrFactorsPtr = std::shared_ptr<const QrFactors>;
QrFactorsPtr qr_factors(const Matrix& A);

/// For the k smallest of A = QR: Lanczos on (RᵀR)⁻¹, so two triangular solves a step; left = Q R⁻ᵀ right,
/// since A applied to a small singular vector is mostly rounding.
Subspace smallest_subspace(const QrFactorsPtr& qr, Index k, const Vector& start);

/// v ↦ s R⁻ᵀ v for A = QR, s the smallest diagonal entry of R: largest where A is smallest.
LinearMapPtr inverse_map(QrFactorsPtr qr);

}  // namespace rezero::detail
