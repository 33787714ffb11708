#include "linalg/register_tile.h"
#include "linalg/small_product.h"

namespace rezero::detail {
namespace {

static_assert(lane_count % vector_lanes == 0 && strip_rows % tile_rows == 0);

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
  Real* const C = job.C + column * job.stride + row;
  if (job.accumulate) sums.load(C, job.stride);
  for (int i = 0; i < job.count; ++i) {
    const SmallProduct& p = job.products[i];
    sums.add(p.A + row, p.stride, p.B + column * p.column, p.row, p.column, p.depth);
  }
  sums.store(C, job.stride);
}

template <int columns>
void strip(const Job& job, Index column) {
  Index row = 0;
  for (; row + tile_rows <= job.rows; row += tile_rows) tile<tile_vectors, columns>(job, row, column);
  if (row + 2 * vector_lanes <= job.rows)
    tile<2, columns>(job, row, column);
  else if (row < job.rows)
    tile<1, columns>(job, row, column);
}

void run(const SmallProduct* products, int count, Index rows, Index columns, Real* C, Index stride,
         bool accumulate) {
  const Job job{products, count, rows, C, stride, accumulate};
  for (Index column = 0; column < columns; column += tile_columns)
    with_constant<tile_columns>(columns - column, [&](auto number) { strip<number.value>(job, column); });
}

}  // namespace

REZERO_KERNEL_TABLE(SmallProductKernel, small_product_kernel) = {run};

}  // namespace rezero::detail
