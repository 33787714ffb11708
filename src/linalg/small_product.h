#pragma once
/// Sums of matrix products in registers: no packing, and no calls inside the loop. Fast if the left operand
/// is in a near cache; matrix_product.h splits larger ones into blocks that are.

#include "core/kernel.h"

namespace rezero {

/// Rows of left operands and results come in multiples of this number: whole vectors on every processor.
constexpr Index lane_count = 8;

/// n rounded up to whole vectors.
static constexpr Index padded(Index n) {
  return (n + lane_count - 1) / lane_count * lane_count;
}

/// The widest right operand whose product stays in registers: strips with this many columns are fastest.
constexpr Index strip_width = 8;
/// Multiples of this many rows fill the registers of every processor and are fastest.
constexpr Index strip_rows = 24;

/// A (rows × depth, column-major, `stride` between columns) times B (depth × columns, entry (k, j) at
/// B[k·row + j·column]).
struct SmallProduct {
  const Real* A;
  Index stride;
  const Real* B;
  Index row, column;
  Index depth;
};

/// C = A₁ B₁ + A₂ B₂, rows × columns with `stride` between columns; `rows` is a multiple of lane_count. Sums
/// run in the order of k, first product first, so the bits of an entry depend only on its operands. Cost
/// 2·rows·columns·(depth₁ + depth₂).
void add_products(const SmallProduct& first, const SmallProduct& second, Index rows, Index columns, Real* C,
                  Index stride);
/// C += A B.
void accumulate_product(const SmallProduct& product, Index rows, Index columns, Real* C, Index stride);
/// C = A B.
void small_product(const SmallProduct& product, Index rows, Index columns, Real* C, Index stride);

namespace detail {

/// The sum of `count` products, added to C or not.
struct SmallProductKernel {
  void (*run)(const SmallProduct* products, int count, Index rows, Index columns, Real* C, Index stride,
              bool accumulate);
  Index lanes;  ///< of a vector
};
REZERO_KERNEL(SmallProductKernel, small_product_kernel)

}  // namespace detail
}  // namespace rezero
