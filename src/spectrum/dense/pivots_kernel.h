#pragma once
/// The loop behind pivots.h.

#include "core/kernel.h"

namespace rezero::detail {

/// Points are counted in groups of this size: eight lanes fill a 512-bit register (or two of 256 bits), and
/// four registers hide the latency of the division, on which every step depends.
constexpr Index pivot_group = 32;

struct PivotKernel {
  /// For the n squares q and e of pivots.h and one group of points: eigenvalues below each, and its slope.
  void (*count_group)(const Real* q, const Real* e, Index n, const Real* point, std::int64_t* below,
                      Real* slope);
};
REZERO_KERNEL(PivotKernel, pivot_kernel)

}  // namespace rezero::detail
