#pragma once
/// The norm after a stack, applied to what a reported depth sees.

#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero::detail {

/// The norms of the block that a depth ends with.
struct EndNorms {
  NormSpec pre, post;

  EndNorms() = default;
  explicit EndNorms(const BlockParts& parts) : pre(parts.pre_norm), post(parts.post_norm) {}
  /// Of the same kind, else layer norm; without gain and bias.
  NormSpec final_norm() const;
};

struct FinalNorm {
  ScaledVector value;    ///< N(x)
  ScaledMap derivative;  ///< ∂N/∂x at x, x's exponent undone
};

/// N at the state after `blocks` blocks.
FinalNorm final_norm_at(NormSpec norm, Shape shape, const ScaledVector& state, Index blocks,
                        Rounding rounding = {});

}  // namespace rezero::detail
