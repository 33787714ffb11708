#pragma once
/// Singular triplets within a subspace, and the residuals that prove them.

#include "spectrum/krylov/subspace.h"

namespace rezero::detail {

/// Singular triplets of A within a subspace, with their proof.
struct Triplets {
  Vector sigma;  ///< k, descending
  Matrix left, right;
  Vector right_residual, left_residual;  ///< ‖Av − su‖ and ‖Aᵀu − sv‖ of each
  /// √(‖AV − US‖_F² + ‖AᵀU − VS‖_F²): sigma lies within this distance of k distinct values of A
  Real residual = 0;
  std::string failure;
};

/// Rayleigh–Ritz with orthonormal bases U, V of the two subspaces: the SVD X S Yᵀ of UᵀAV, then U ← UX, V ←
/// VY. [U; V]/√2 spans k directions of the symmetric [0 A; Aᵀ 0], so by Kahan's theorem (Parlett, The
/// Symmetric Eigenvalue Problem, section 11.5) k of its eigenvalues ±σ lie within √2 times the norm of [AV −
/// US; AᵀU − VS]/√2 of S. Cost: A applied to 2 k columns, and Aᵀ to k.
Triplets ritz_triplets(const LinearMap& A, const Subspace& subspace);
Triplets ritz_triplets(const Matrix& A, const Subspace& subspace);

/// Whether the right vectors of both ends of a spectrum are orthogonal to 1e-8, so that no value is counted
/// twice.
bool are_apart(const Triplets& top, const Triplets& bottom);

}  // namespace rezero::detail
