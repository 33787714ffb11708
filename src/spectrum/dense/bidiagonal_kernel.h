#pragma once
/// Householder bidiagonalization of matrices that stay in the first- or second-level cache.

#include "core/kernel.h"

namespace rezero::detail {

struct BidiagonalKernel {
  /// Reduces A, rows × columns, rows ≥ columns ≥ 2, finite, to upper bidiagonal form. Overwrites A. Columns
  /// are `stride` numbers apart, a multiple of 8, with zeros below the last row. work: 3·stride + 2·columns
  /// numbers.
  ///
  /// Step k reflects column k by v and row k by u: A ← A − v yᵀ − x uᵀ, y = τ Aᵀ v, x = τ′ (A − v yᵀ) u.
  /// The update is made in the pass that computes the next y, so that A is read twice per step. Cost 8/3 n³
  /// for square A, in vectors. Source: Howell, Demmel, Fulton, Hammarling, Marmol, "Cache efficient
  /// bidiagonalization using BLAS 2.5 operators", 2008.
  void (*reduce)(Real* A, Index rows, Index columns, Index stride, Real* work, Real* diagonal,
                 Real* superdiagonal);
};
REZERO_KERNEL(BidiagonalKernel, bidiagonal_kernel)

}  // namespace rezero::detail
