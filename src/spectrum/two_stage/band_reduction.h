#pragma once
/// First stage of the singular values of a dense matrix: reduction to a band, nearly all of it matrix
/// products.

#include "rezero/core/types.h"

namespace rezero::detail {

/// Upper band matrix, n × n: B(r, c) = 0 unless 0 ≤ c − r ≤ width. entries(i, c) = B(c − width + i, c).
struct Band {
  Index width = 0;
  Matrix entries;  ///< (width + 1) × n

  Index size() const { return entries.cols(); }
  Real& at(Index row, Index column) { return entries(row - column + width, column); }
  Real at(Index row, Index column) const { return entries(row - column + width, column); }
};

/// B with A = U B Vᵀ (of Aᵀ if A is wide), U and V orthogonal; A: not empty, entries at most about 1.
/// Alternates a QR of `width` columns and an LQ of as many rows, both applied to the rest by one update A ← A
/// − V Y − X Uᵀ. Cost 4 m n² − 4/3 n³, memory a copy of A and (m + n) · 5 width; width: a multiple of 8.
/// `workers` threads share each product in parts that do not depend on their number. Source: Großer & Lang,
/// "Efficient parallel reduction to bidiagonal form", 1999.
Band reduce_to_band(const Matrix& A, Index width, int workers);

}  // namespace rezero::detail
