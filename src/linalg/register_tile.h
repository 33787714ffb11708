#pragma once
/// For kernels only: a part of a matrix product that stays in registers.

#include "core/kernel.h"
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace rezero::detail {
namespace {

/// Columns of a tile: with three vectors of rows, the sums fill 32 or 16 registers.
#if defined(__AVX512F__)
constexpr Index vector_lanes = 8;
constexpr int tile_columns = 8;
#elif defined(__AVX__)
constexpr Index vector_lanes = 4;
constexpr int tile_columns = 4;
#else
constexpr Index vector_lanes = 2;
constexpr int tile_columns = 4;
#endif
constexpr int tile_vectors = 3;
constexpr Index tile_rows = tile_vectors * vector_lanes;

/// As compilers of the GNU family have vectors.
typedef Real Lanes __attribute__((vector_size(sizeof(Real) * vector_lanes)));
/// The same at any address.
typedef Real LooseLanes
    __attribute__((vector_size(sizeof(Real) * vector_lanes), aligned(alignof(Real)), may_alias));

#define REZERO_INLINE inline __attribute__((always_inline))

/// The first `count` numbers of a vector, from 1 to all; what lies behind them is not touched, and read as
/// zero.
struct Some {
  explicit REZERO_INLINE Some(Index count) {
#if defined(__AVX512F__)
    mask = static_cast<__mmask8>((1u << count) - 1);
#elif defined(__AVX__)
    mask = _mm256_set_epi64x(count > 3 ? -1 : 0, count > 2 ? -1 : 0, count > 1 ? -1 : 0, -1);
#else
    both = count > 1;
#endif
  }

  REZERO_INLINE Lanes load(const Real* from) const {
#if defined(__AVX512F__)
    return reinterpret_cast<Lanes>(_mm512_maskz_loadu_pd(mask, from));
#elif defined(__AVX__)
    return reinterpret_cast<Lanes>(_mm256_maskload_pd(from, mask));
#else
    return Lanes{from[0], both ? from[1] : 0};
#endif
  }

  REZERO_INLINE void store(Real* to, const Lanes& x) const {
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(to, mask, reinterpret_cast<__m512d>(x));
#elif defined(__AVX__)
    _mm256_maskstore_pd(to, mask, reinterpret_cast<__m256d>(x));
#else
    to[0] = x[0];
    if (both) to[1] = x[1];
#endif
  }

#if defined(__AVX512F__)
  __mmask8 mask;
#elif defined(__AVX__)
  __m256i mask;
#else
  bool both;
#endif
};

/// A + the sum of products, `vectors` vectors of rows by `columns`. If `edge`, of the last vector only
/// some rows exist. Sums run in the order of the depth, one multiply-add after the other.
template <int vectors, int columns, bool edge = false>
struct Tile {
  Lanes sum[columns][vectors] = {};
  Some last{vector_lanes};

  REZERO_INLINE Lanes part(const Real* from, int i) const {
    if (edge && i == vectors - 1) return last.load(from + i * vector_lanes);
    return *reinterpret_cast<const LooseLanes*>(from + i * vector_lanes);
  }

  /// `keep`: copies what it reads of A to `copy`, tile_rows numbers per column.
  template <bool keep = false>
  REZERO_INLINE void add(const Real* a, Index a_stride, const Real* b, Index b_row, Index b_column,
                         Index depth, Real* copy = nullptr) {
    for (Index k = 0; k < depth; ++k, a += a_stride, b += b_row) {
      Lanes left[vectors];
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) left[i] = part(a, i);
      if (keep) {
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) *reinterpret_cast<LooseLanes*>(copy + i * vector_lanes) = left[i];
        copy += tile_rows;
      }
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        const Real right = b[j * b_column];
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) sum[j][i] += left[i] * right;
      }
    }
  }

  REZERO_INLINE void load(const Real* C, Index stride) {
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) sum[j][i] = part(C + j * stride, i);
  }

  REZERO_INLINE void store(Real* C, Index stride) const {
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) {
        Real* const to = C + j * stride + i * vector_lanes;
        if (edge && i == vectors - 1)
          last.store(to, sum[j][i]);
        else
          *reinterpret_cast<LooseLanes*>(to) = sum[j][i];
      }
  }
};

/// f(number) for the compile-time number equal to n, 1 ≤ n ≤ 8.
template <int number>
struct Constant {
  static constexpr int value = number;
};
template <int most, class F>
REZERO_INLINE void with_constant(Index n, const F& f) {
  if constexpr (most > 1)
    if (n < most) return with_constant<most - 1>(n, f);
  f(Constant<most>());
}

}  // namespace
}  // namespace rezero::detail
