#pragma once
/// The loops of a panel's QR.

#include "core/kernel.h"

namespace rezero::detail {

/// Columns that are reflected one by one.
constexpr int leaf_columns = 8;

struct LeafKernel {
  /// The QR of eight columns of `rows` (a multiple of 8) numbers, `stride` apart: the vectors v of its
  /// reflections I − v vᵀ, ‖v‖² = 2 or 0, in place, and R on and above the diagonal of R, whose columns are
  /// `r_stride` apart. Entries at most about 1.
  void (*factor)(Real* columns, Index stride, Index rows, Real* R, Index r_stride);
};
REZERO_KERNEL(LeafKernel, leaf_kernel)

}  // namespace rezero::detail
