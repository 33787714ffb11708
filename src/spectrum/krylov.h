#pragma once
/// Subspaces of singular vectors by Spectra, and the proof that they are that. The only user of Spectra is
/// krylov.cpp.

#include <string>

#include "rezero/core/types.h"

namespace rezero::detail {

/// A basis that an iterative solver claims to span right singular vectors of A. Nothing of it is trusted.
struct Subspace {
  Matrix basis;            ///< cols × k, or empty
  Index applications = 0;  ///< columns that A, Aᵀ or a solve with them was applied to
  std::string failure;     ///< empty, or why there is no basis
};

/// For the k largest values of A (rows ≥ cols > k): Lanczos on AᵀA.
Subspace largest_subspace(const Matrix& A, Index k, const Vector& start);

/// For the k smallest: Lanczos on (RᵀR)⁻¹ with A = QR, so two triangular solves a step. Cost 2 m n² for the
/// QR.
Subspace smallest_subspace(const Matrix& A, Index k, const Vector& start);

/// Singular triplets of A within a subspace, with what proves them.
struct Triplets {
  Vector sigma;  ///< k, descending
  Matrix left, right;
  Real residual =
      0;  ///< √(‖AV − US‖_F² + ‖AᵀU − VS‖_F²): k values of A lie within √2 of it, one to each of sigma
  std::string failure;
};

/// Rayleigh–Ritz with V an orthonormal basis of the subspace: the SVD U S Wᵀ of AV, and V ← VW. With U and V
/// orthonormal, [U; V]/√2 spans k directions of the symmetric matrix [0 A; Aᵀ 0] whose Rayleigh quotient is
/// S, so by Kahan's theorem (Parlett, The Symmetric Eigenvalue Problem, 11.5) as many eigenvalues ±σ lie
/// within the norm of the residual of ±S. Cost 4 m n k.
Triplets ritz_triplets(const Matrix& A, const Matrix& basis);

}  // namespace rezero::detail
