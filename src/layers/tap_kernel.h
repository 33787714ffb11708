#pragma once
/// The loops behind tap_product.h.

#include "core/kernel.h"

namespace rezero::detail {

/// Columns, or output features, that occupy the lanes of vectors.
constexpr Index tap_lanes = 8;

/// Neighbouring taps at neighbouring sources: `count` · in numbers that are contiguous in both.
struct TapRun {
  Index source, tap, count;
};

/// Up to eight output positions with the same taps, `order` from begin to end.
struct TapGroup {
  Index begin, end;
};

struct TapOperands {
  Index in, out, kernel;  ///< features of a source and of an output position, taps
  Index sources, positions;
  const TapRun* runs;
  const std::size_t* first_run;  ///< for each output position, and one past the last
  const Index* order;
  const TapGroup* groups;
  Index group_count;
  const Real* packed;  ///< blocks of eight output features: (block, tap, in, feature of the block)
};

struct TapKernel {
  /// Eight columns: vectors are inputs, factors are weights. scratch: 8 × (in · sources) numbers.
  void (*eight_columns)(const TapOperands& taps, const Real* v, Index v_stride, Real* out, Index out_stride,
                        Real* scratch);
  /// One column: vectors are weights, factors are inputs around the positions of a group.
  void (*one_column)(const TapOperands& taps, const Real* v, Real* out);
};
REZERO_KERNEL(TapKernel, tap_kernel)

}  // namespace rezero::detail
