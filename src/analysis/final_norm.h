#pragma once
/// The norm after a stack, applied to what a reported depth sees.

#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero::detail {

struct FinalNorm {
  NormSpec norm;
  ScaledVector value;         ///< N(x)
  ScaledMap derivative;       ///< ∂N/∂x at x, x's exponent undone
  Index null_directions = 0;  ///< exact zeros of the derivative, all positions
};

/// The kind of norm that block l of the stack has, else layer norm, without gain and bias, at x_{l+1} =
/// state.
FinalNorm final_norm_at(const Stack& stack, const ScaledVector& state, Index l, Rounding rounding = {});

}  // namespace rezero::detail
