#pragma once
/// The loops of the second stage: one bulge moves along the band.

#include "core/kernel.h"

namespace rezero::detail {

/// The largest number of entries of a reflection.
constexpr Index longest_reflection = 128;

struct BulgeKernel {
  /// Two reflections of `length` entries; columns are `stride` apart. The first makes row 0 of `bulge` (β, 0,
  /// …) and is applied to its columns on `rows` rows; the second makes column 0 of `block` (β, 0, …) and is
  /// applied to its rows on `columns` columns. Entries at most about 1.
  void (*step)(Real* bulge, Index rows, Real* block, Index columns, Index stride, Index length);
};
REZERO_KERNEL(BulgeKernel, bulge_kernel)

}  // namespace rezero::detail
