#pragma once
/// The singular value decomposition of a small matrix with vectors: the one translation unit that compiles
/// Eigen's.

#include "rezero/core/types.h"

namespace rezero::detail {

/// A = left diag(sigma) rightᵀ, sigma descending.
struct SmallSvd {
  Matrix left, right;
  Vector sigma;
};

/// Of a square, finite A. Jacobi up to 64 columns, divide and conquer above (and Jacobi again if that gives
/// NaN, as for some matrices of low rank). Not certified: callers test residuals.
SmallSvd small_svd(const Matrix& A);

}  // namespace rezero::detail
