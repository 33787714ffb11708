#pragma once
/// Matrices and vectors beyond the range of double: mantissa · 2^exponent with one exponent for all entries.

#include "rezero/core/scaled_real.h"
#include "rezero/core/types.h"

namespace rezero {

struct ScaledMatrix {
  Matrix mantissa;
  std::int64_t exponent = 0;
};

struct ScaledVector {
  Vector mantissa;
  std::int64_t exponent = 0;
};

/// max |a_ij|; NaN if any entry is NaN (Eigen's maxCoeff may drop one). 0 for an empty matrix.
Real max_abs(ConstColumns a);

/// ‖a‖_F as mantissa · 2^exponent, without overflow or underflow for any entries. Entries must be finite.
ScaledReal frobenius_norm(ConstColumns a);
/// ‖a‖_F² as the sum itself: exactly n for an orthogonal matrix of ones and zeros, unlike the square of a
/// root.
ScaledReal frobenius_square(ConstColumns a);

/// Moves a power of two from the mantissa to the exponent so that the largest |entry| lies in [0.5, 1).
/// Exact. A zero matrix keeps exponent 0. Returns false, and changes nothing, if an entry is not finite.
[[nodiscard]] bool renormalize(ScaledMatrix& a);
[[nodiscard]] bool renormalize(ScaledVector& a);

}  // namespace rezero
