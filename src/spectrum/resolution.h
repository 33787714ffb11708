#pragma once
/// Claimed accuracy of the dense methods.

#include <algorithm>
#include <limits>

#include "rezero/core/types.h"

namespace rezero::detail {

/// The largest relative error with which a value, or a number that describes J as a whole, is published, and
/// a dense spectrum is considered sufficient.
inline constexpr Real six_digits = 1e-6;

/// Bound on the absolute error of a dense method over σ_max: (8 + n/2 + (m − n)/8) eps, where n is the
/// shorter side of the matrix and m the longer, along which columns are summed. docs/accuracy.md has the
/// measurements.
inline Real dense_resolution(const Matrix& A) {
  const auto n = static_cast<Real>(std::min(A.rows(), A.cols())),
             m = static_cast<Real>(std::max(A.rows(), A.cols()));
  return (8 + n / 2 + (m - n) / 8) * std::numeric_limits<Real>::epsilon();
}

}  // namespace rezero::detail
