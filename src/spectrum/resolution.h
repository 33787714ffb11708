#pragma once
/// Claimed accuracy of the dense methods.

#include <limits>

#include "rezero/core/types.h"

namespace rezero::detail {

/// Bound of the absolute error of a dense method over σ_max: (8 + n/2) eps, n = min(rows, cols).
/// docs/accuracy.md has the measurement behind it.
inline Real dense_resolution(const Matrix& A) {
  const auto n = static_cast<Real>(A.rows() < A.cols() ? A.rows() : A.cols());
  return (8 + n / 2) * std::numeric_limits<Real>::epsilon();
}

}  // namespace rezero::detail
