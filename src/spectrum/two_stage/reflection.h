#pragma once
/// Householder reflections of vectors with entries at most about 1. For kernels.

#include "core/kernel.h"

namespace rezero::detail {

/// β and scale such that H = I − v vᵀ, ‖v‖² = 2 or 0, maps a vector a to β e₁, with v = (a − β e₁) · scale.
struct Reflection {
  Real beta = 0, scale = 0;
};

/// squared_norm: of all of a, entries at most about 1; first: a₁. A norm below 2^-480 is treated as zero, an
/// error far below every resolution; the square of a larger norm is fully accurate.
static inline Reflection reflection(Real squared_norm, Real first) {
  if (squared_norm < 0x1p-960) return {};
  const Real norm = __builtin_sqrt(squared_norm);
  return {first > 0 ? -norm : norm, 1 / __builtin_sqrt(squared_norm + __builtin_fabs(first) * norm)};
}

}  // namespace rezero::detail
