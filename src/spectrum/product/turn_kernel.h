#pragma once
/// A Jacobi rotation of two columns.

#include "core/kernel.h"

namespace rezero::detail {

struct Turned {
  Real x_square, y_square;
};

struct TurnKernel {
  /// Rotates two columns in one pass, x ← c x − s y and y ← c y + t x, and returns their new squared norms.
  Turned (*turn)(Real* x, Real* y, Index count, Real c, Real s, Real t);
};
REZERO_KERNEL(TurnKernel, turn_kernel)

}  // namespace rezero::detail
