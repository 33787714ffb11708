#include "linalg/matrix_product_kernel.h"

#include "linalg/register_tile.h"
#include "linalg/transposed_tile.h"

namespace rezero::detail {
namespace {

static_assert(block_rows / 2 % tile_rows == 0);

Index least(Index a, Index b) {
  return a < b ? a : b;
}

/// A block of A, in place or as copied: the columns of a tile are `stride` apart, tiles are `next` apart.
struct Left {
  const Real* data;
  Index stride, next;
};

/// A strip of the result: the rows of a block by the columns of a tile.
struct Strip {
  Left left;
  const Real* B;
  Index b_stride;
  Real* C;
  Index c_stride, rows, depth;
  bool added, far;  ///< far: the result is not in a near cache
  Real* copy;
};

/// The next tile's part of the result is on its way while this one is computed.
template <int columns>
REZERO_INLINE void prefetch_next(const Real* C, Index stride) {
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
    for (Index i = tile_rows; i < 2 * tile_rows; i += 8) __builtin_prefetch(C + j * stride + i, 1);
}

template <int vectors, int columns, bool keep, bool edge = false>
void take_tile(const Strip& s, Index row) {
  Tile<vectors, columns, edge> sums;
  if (edge) sums.last = Some((s.rows - row) % vector_lanes);
  const Index tile = row / tile_rows;
  Real* const C = s.C + row;
  if (s.added) sums.load(C, s.c_stride);
  if (s.far && row + 2 * tile_rows <= s.rows) prefetch_next<columns>(C, s.c_stride);
  sums.template add<keep>(s.left.data + tile * s.left.next, s.left.stride, s.B, 1, s.b_stride, s.depth,
                          keep ? s.copy + row * s.depth : nullptr);
  sums.store(C, s.c_stride);
}

template <int columns, bool keep>
void take_strip(const Strip& s) {
  Index row = 0;
  for (; row + tile_rows <= s.rows; row += tile_rows) take_tile<tile_vectors, columns, keep>(s, row);
  const Index rest = s.rows - row;
  if (rest == 0) return;
  with_constant<tile_vectors>((rest + vector_lanes - 1) / vector_lanes, [&](auto vectors) {
    if (rest % vector_lanes == 0)
      take_tile<vectors.value, columns, keep>(s, row);
    else
      take_tile<vectors.value, columns, keep, true>(s, row);
  });
}

/// The first strip of a block may copy it as it reads it.
void take_block(const ProductOperands& p, Index i, Index rows, Index k, Index depth, Real* copy) {
  constexpr Index near = 1 << 14;  // numbers
  Strip s{{p.A + k * p.a_stride + i, p.a_stride, tile_rows},
          p.B + k,
          p.b_stride,
          p.C + i,
          p.c_stride,
          rows,
          depth,
          p.added || k > 0,
          p.rows * p.columns > near,
          copy};
  Index j = 0;
  if (copy != nullptr && p.columns > tile_columns) {
    take_strip<tile_columns, true>(s);
    s.left = {copy, tile_rows, tile_rows * depth};
    j = tile_columns;
  }
  for (; j < p.columns; j += tile_columns) {
    s.B = p.B + j * p.b_stride + k, s.C = p.C + j * p.c_stride + i;
    with_constant<tile_columns>(p.columns - j, [&](auto columns) { take_strip<columns.value, false>(s); });
  }
}

/// Blocks are higher for many columns, which each block reads again, perhaps from memory.
void multiply(const ProductOperands& p, Real* copy) {
  constexpr Index many = 256;
  const Index height = p.columns >= many ? block_rows : block_rows / 2;
  const Index depths = (p.depth + block_depth - 1) / block_depth;
  for (Index d = 0; d < depths; ++d) {
    const Index k = p.depth * d / depths, depth = p.depth * (d + 1) / depths - k;
    for (Index i = 0; i < p.rows; i += height) take_block(p, i, least(height, p.rows - i), k, depth, copy);
  }
}

/// Rows by columns of Aᵀ B over a run of the depth.
template <int rows, int columns>
void take_transposed(const ProductOperands& p, Index i, Index j, Index k, Index depth) {
  TransposedTile<rows, columns> sums;
  sums.add(p.A + i * p.a_stride + k, p.a_stride, p.B + j * p.b_stride + k, p.b_stride, depth);
  sums.store(p.C + j * p.c_stride + i, p.c_stride, p.added || k > 0);
}

/// Few columns leave registers for more rows at a time.
template <int columns>
void take_transposed_rows(const ProductOperands& p, Index i, Index end, Index j, Index k, Index depth) {
  constexpr int rows = 2 * columns <= transposed_rows ? 8 : transposed_rows;
  for (; i + rows <= end; i += rows) take_transposed<rows, columns>(p, i, j, k, depth);
  for (; i < end; ++i) take_transposed<1, columns>(p, i, j, k, depth);
}

/// The run of a strip of B stays in the first-level cache, and a block of A in the second.
void multiply_transposed(const ProductOperands& p) {
  constexpr Index run = 512, block = 64;
  for (Index k = 0; k < p.depth; k += run)
    for (Index i = 0; i < p.rows; i += block)
      for (Index j = 0; j < p.columns; j += transposed_columns)
        with_constant<transposed_columns>(p.columns - j, [&](auto columns) {
          take_transposed_rows<columns.value>(p, i, least(i + block, p.rows), j, k, least(run, p.depth - k));
        });
}

}  // namespace

REZERO_KERNEL_TABLE(MatrixProductKernel, matrix_product_kernel) = {multiply, multiply_transposed,
                                                                   vector_lanes};

}  // namespace rezero::detail
