#pragma once
/// Transposition of a column-major matrix.

#include "rezero/core/types.h"

namespace rezero {

/// B = Aᵀ, no aliasing, in squares of 8 × 8, so that every line of memory is used whole on both sides.
void transposed_copy(const ConstColumns& A, Columns B);

}  // namespace rezero
