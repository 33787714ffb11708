#pragma once
/// The norm after a stack, applied at each reported depth.

#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero::detail {

/// The norms of the last block of a depth.
struct EndNorms {
  NormSpec pre, post;

  EndNorms() = default;
  /// A block without parts has none.
  explicit EndNorms(const Block& block);
  /// Of the same kind, or layer norm if there is none; without gain and bias.
  NormSpec final_norm() const;
};

struct FinalNorm {
  ScaledVector value;    ///< N(x)
  ScaledMap derivative;  ///< ∂N/∂x at x, without x's exponent
};

/// N at the state after `blocks` blocks.
FinalNorm final_norm_at(NormSpec norm, Shape shape, const ScaledVector& state, Index blocks,
                        Rounding rounding = {});

}  // namespace rezero::detail
