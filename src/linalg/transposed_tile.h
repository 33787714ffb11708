#pragma once
/// For kernels only: a part of a product Aᵀ B in registers, read along the columns of both.

#include "linalg/register_tile.h"

namespace rezero::detail {
namespace {

/// Columns of A and of B whose sums fill 32 or 16 registers.
#if defined(__AVX512F__)
constexpr int transposed_rows = 4, transposed_columns = 6;
#else
constexpr int transposed_rows = 3, transposed_columns = 4;
#endif

/// Lanes of x and y in turn, chosen by number: 0 to lanes − 1 are x's, the following y's.
#if defined(__clang__)
#define REZERO_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef std::int64_t LaneNumbers __attribute__((vector_size(sizeof(Real) * vector_lanes)));
#define REZERO_SHUFFLE(x, y, ...) __builtin_shuffle(x, y, LaneNumbers{__VA_ARGS__})
#endif

/// The sums of the lanes of each of vector_lanes vectors, as a vector: neighbours first, then pairs.
REZERO_INLINE Lanes sums_of_lanes(const Lanes* x) {
#if defined(__AVX512F__)
  Lanes pairs[4], fours[2];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    pairs[i] = REZERO_SHUFFLE(x[2 * i], x[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               REZERO_SHUFFLE(x[2 * i], x[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i)
    fours[i] = REZERO_SHUFFLE(pairs[2 * i], pairs[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               REZERO_SHUFFLE(pairs[2 * i], pairs[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return REZERO_SHUFFLE(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         REZERO_SHUFFLE(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
#elif defined(__AVX__)
  const Lanes a = REZERO_SHUFFLE(x[0], x[1], 0, 4, 2, 6) + REZERO_SHUFFLE(x[0], x[1], 1, 5, 3, 7);
  const Lanes b = REZERO_SHUFFLE(x[2], x[3], 0, 4, 2, 6) + REZERO_SHUFFLE(x[2], x[3], 1, 5, 3, 7);
  return REZERO_SHUFFLE(a, b, 0, 1, 4, 5) + REZERO_SHUFFLE(a, b, 2, 3, 6, 7);
#else
  return REZERO_SHUFFLE(x[0], x[1], 0, 2) + REZERO_SHUFFLE(x[0], x[1], 1, 3);
#endif
}

template <int rows, int columns>
struct TransposedTile {
  static constexpr int whole = (rows * columns + vector_lanes - 1) / vector_lanes * vector_lanes;
  Lanes sum[whole] = {};

  REZERO_INLINE void step(const Real* a, Index a_stride, const Real* b, Index b_stride, Index count) {
    Lanes left[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) left[i] = some(a + i * a_stride, count);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const Lanes right = some(b + j * b_stride, count);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) sum[j * rows + i] += left[i] * right;
    }
  }

  REZERO_INLINE void add(const Real* a, Index a_stride, const Real* b, Index b_stride, Index depth) {
    Index k = 0;
    for (; k + vector_lanes <= depth; k += vector_lanes) step(a + k, a_stride, b + k, b_stride, vector_lanes);
    if (k < depth) step(a + k, a_stride, b + k, b_stride, depth - k);
  }

  REZERO_INLINE void store(Real* C, Index stride, bool added) const {
    Real all[whole];
#pragma GCC unroll 8
    for (int i = 0; i < whole; i += vector_lanes)
      *reinterpret_cast<LooseLanes*>(all + i) = sums_of_lanes(sum + i);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Real x = all[j * rows + i];
        C[j * stride + i] = added ? C[j * stride + i] + x : x;
      }
  }

 private:
  static REZERO_INLINE Lanes some(const Real* from, Index count) {
    return count == vector_lanes ? *reinterpret_cast<const LooseLanes*>(from) : Some(count).load(from);
  }
};

}  // namespace
}  // namespace rezero::detail
