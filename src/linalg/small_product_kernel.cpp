#include "linalg/small_product.h"

namespace rezero::detail {
namespace {

#if defined(__AVX512F__)
constexpr Index vector_lanes = 8;
#elif defined(__AVX__)
constexpr Index vector_lanes = 4;
#else
constexpr Index vector_lanes = 2;
#endif
static_assert(lane_count % vector_lanes == 0 && strip_rows % (3 * vector_lanes) == 0);
/// As compilers of the GNU family have vectors.
typedef Real Lanes __attribute__((vector_size(sizeof(Real) * vector_lanes)));
/// The same at any address.
typedef Real LooseLanes
    __attribute__((vector_size(sizeof(Real) * vector_lanes), aligned(alignof(Real)), may_alias));

/// The sums of a strip that fit in registers: three vectors of rows by eight columns with 32 registers, by
/// four with 16.
#if defined(__AVX512F__)
constexpr int tile_columns = 8;
#else
constexpr int tile_columns = 4;
#endif

template <int vectors, int columns>
struct Tile {
  Lanes sum[columns][vectors] = {};

  void add(const SmallProduct& p, Index first_row, Index first_column) {
    const Real* a = p.A + first_row;
    const Real* b = p.B + first_column * p.column;
    for (Index k = 0; k < p.depth; ++k, a += p.stride, b += p.row) {
      Lanes left[vectors];
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i) left[i] = *reinterpret_cast<const LooseLanes*>(a + i * vector_lanes);
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        const Real right = b[j * p.column];
#pragma GCC unroll 8
        for (int i = 0; i < vectors; ++i) sum[j][i] += left[i] * right;
      }
    }
  }

  void load(const Real* C, Index stride) {
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i)
        sum[j][i] = *reinterpret_cast<const LooseLanes*>(C + j * stride + i * vector_lanes);
  }

  void store(Real* C, Index stride) const {
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 8
      for (int i = 0; i < vectors; ++i)
        *reinterpret_cast<LooseLanes*>(C + j * stride + i * vector_lanes) = sum[j][i];
  }
};

struct Job {
  const SmallProduct* products;
  int count;
  Index rows;
  Real* C;
  Index stride;
  bool accumulate;
};

template <int vectors, int columns>
void tile(const Job& job, Index row, Index column) {
  Tile<vectors, columns> sums;
  if (job.accumulate) sums.load(job.C + column * job.stride + row, job.stride);
  for (int i = 0; i < job.count; ++i) sums.add(job.products[i], row, column);
  sums.store(job.C + column * job.stride + row, job.stride);
}

template <int columns>
void strip(const Job& job, Index column) {
  Index row = 0;
  for (; row + 3 * vector_lanes <= job.rows; row += 3 * vector_lanes) tile<3, columns>(job, row, column);
  if (row + 2 * vector_lanes <= job.rows)
    tile<2, columns>(job, row, column);
  else if (row < job.rows)
    tile<1, columns>(job, row, column);
}

void run(const SmallProduct* products, int count, Index rows, Index columns, Real* C, Index stride,
         bool accumulate) {
  const Job job{products, count, rows, C, stride, accumulate};
  Index column = 0;
  for (; column + tile_columns <= columns; column += tile_columns) strip<tile_columns>(job, column);
  if (tile_columns > 4 && column + 4 <= columns) strip<4>(job, column), column += 4;
  if (column + 2 <= columns) strip<2>(job, column), column += 2;
  if (column < columns) strip<1>(job, column);
}

}  // namespace

REZERO_KERNEL_TABLE(SmallProductKernel, small_product_kernel) = {run, vector_lanes};

}  // namespace rezero::detail
