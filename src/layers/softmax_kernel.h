#pragma once
/// The derivative of softmax in attention.

#include "core/kernel.h"

namespace rezero::detail {

struct SoftmaxKernel {
  /// s = scale · p ⊙ (s − 1 colsum(p ⊙ s)) in place: dP of softmax from dS and vice versa, since the
  /// derivative is symmetric. Rows: a multiple of 8; columns of p and s are `stride` apart.
  void (*through)(const Real* p, Real scale, Index rows, Index columns, Real* s, Index stride);
};
REZERO_KERNEL(SoftmaxKernel, softmax_kernel)

}  // namespace rezero::detail
