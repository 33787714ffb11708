#pragma once
/// Sums of matrix products in registers: no packing, and no calls inside the loop. Fast if the left operand
/// is in a near cache; matrix_product.h splits larger ones into blocks that are.

#include "rezero/core/types.h"

namespace rezero {

/// Rows of left operands and results come in whole vectors of this many numbers.
#if defined(__AVX512F__)
constexpr Index lane_count = 8;
#elif defined(__AVX__)
constexpr Index lane_count = 4;
#else
constexpr Index lane_count = 2;
#endif

/// A vector of that many numbers, as compilers of the GNU family have it.
typedef Real Lanes __attribute__((vector_size(sizeof(Real) * lane_count)));
/// The same at any address.
typedef Real LooseLanes
    __attribute__((vector_size(sizeof(Real) * lane_count), aligned(alignof(Real)), may_alias));

/// n rounded up to whole vectors.
constexpr Index padded(Index n) {
  return (n + lane_count - 1) / lane_count * lane_count;
}

/// The widest right operand whose product stays in registers: strips with this many columns are fastest.
constexpr Index strip_width = 8;
/// Multiples of this many rows fill the registers and are fastest.
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

}  // namespace rezero
