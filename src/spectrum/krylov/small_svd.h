#pragma once
/// The singular value decomposition of a small matrix, vectors included: one translation unit for Eigen's.

#include "rezero/core/types.h"

namespace rezero::detail {

/// A = left diag(sigma) rightᵀ, sigma descending.
struct SmallSvd {
  Matrix left, right;
  Vector sigma;
};

/// Of a square, finite A. Jacobi up to 64 columns, divide and conquer above (and Jacobi again where that
/// gives NaN, as for some matrices of low rank). Nothing is certified: users test residuals.
SmallSvd small_svd(const Matrix& A);

}  // namespace rezero::detail
