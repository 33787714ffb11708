#include "linalg/matrix_product.h"

#include <algorithm>
#include <array>

#include "linalg/small_product.h"
#include "rezero/core/contract.h"
#include "rezero/parallel/for_each.h"

namespace rezero {
namespace {

/// A block of the left operand: a quarter of a megabyte.
constexpr Index block_rows = 4 * strip_rows, block_depth = 320;

/// Destination of products: overwritten or added to.
struct Result {
  Real* C;
  Index stride, columns;
  bool added;

  Result below(Index rows) const { return {C + rows, stride, columns, added}; }
  void take(const SmallProduct& product, Index rows) const {
    if (added)
      accumulate_product(product, rows, columns, C, stride);
    else
      small_product(product, rows, columns, C, stride);
  }
};

/// Fewer rows than a vector, through a vector padded with zeros.
void take_edge(const SmallProduct& product, Index rows, const Result& to) {
  std::array<Real, lane_count * block_depth> left;
  Real* lane = left.data();
  for (Index k = 0; k < product.depth; ++k)
    for (Index i = 0; i < lane_count; ++i) *lane++ = i < rows ? product.A[k * product.stride + i] : 0;
  std::array<Real, lane_count * strip_width> part;
  for (Index j = 0; j < to.columns; j += strip_width) {
    const Index columns = std::min(strip_width, to.columns - j);
    small_product(
        {left.data(), lane_count, product.B + j * product.column, product.row, product.column, product.depth},
        lane_count, columns, part.data(), lane_count);
    for (Index c = 0; c < columns; ++c)
      for (Index i = 0; i < rows; ++i) {
        Real& entry = to.C[(j + c) * to.stride + i];
        const Real sum = part[static_cast<std::size_t>(c * lane_count + i)];
        entry = to.added ? entry + sum : sum;
      }
  }
}

/// Columns of A a multiple of 4 KiB apart fall on the same few lines of the first-level cache. Strips of
/// eight-lane vectors use up each line before it is evicted; narrower ones lose a third of their rate, so a
/// copy of the block pays off if enough columns of B pass over it.
bool is_copied(const ConstColumns& A, Index columns) {
  return detail::small_product_kernel().lanes < 8 && A.outerStride() % 512 == 0 && columns >= 16;
}

void in_blocks(const ConstColumns& A, const ConstColumns& B, Columns& C, bool added) {
  REZERO_REQUIRE(A.cols() == B.rows() && C.rows() == A.rows() && C.cols() == B.cols());
  if (C.size() == 0) return;
  if (A.cols() == 0 && !added) C.setZero();
  const bool copied = is_copied(A, C.cols());
  Vector copy(copied ? block_rows * block_depth : 0);
  const Index depths = (A.cols() + block_depth - 1) / block_depth;
  for (Index d = 0; d < depths; ++d) {
    const Index k = A.cols() * d / depths, depth = A.cols() * (d + 1) / depths - k;
    for (Index i = 0; i < A.rows(); i += block_rows) {
      const Index rows = std::min(block_rows, A.rows() - i), whole = rows / lane_count * lane_count;
      SmallProduct product{&A.coeffRef(i, k), A.outerStride(), B.data() + k, 1, B.outerStride(), depth};
      if (copied) {
        for (Index j = 0; j < depth; ++j)
          std::copy_n(&A.coeffRef(i, k + j), rows, copy.data() + j * block_rows);
        product.A = copy.data(), product.stride = block_rows;
      }
      const Result to{&C(i, 0), C.outerStride(), C.cols(), added || d > 0};
      to.take(product, whole);
      product.A += whole;
      if (whole < rows) take_edge(product, rows - whole, to.below(whole));
    }
  }
}

/// f(first, count) for runs of rows that begin at multiples of what the kernel takes at once, so that every
/// row is computed as without runs.
template <class F>
void in_runs_of_rows(Index rows, Real flops, int workers, const F& f) {
  constexpr Real worth_a_thread = 1e6;
  const Index strips = (rows + strip_rows - 1) / strip_rows;
  const Index parts = std::clamp<Index>(static_cast<Index>(std::min(flops / worth_a_thread, 1e3)), 1,
                                        std::min<Index>(std::max(workers, 1), std::max<Index>(strips, 1)));
  const auto start = [&](Index part) { return std::min(strips * part / parts * strip_rows, rows); };
  for_each_index(parts, static_cast<int>(parts),
                 [&](Index part) { f(start(part), start(part + 1) - start(part)); });
}

Real flops_of(const ConstColumns& A, const ConstColumns& B) {
  return 2 * static_cast<Real>(A.size()) * static_cast<Real>(B.cols());
}

}  // namespace

void multiply(const ConstColumns& A, const ConstColumns& B, Columns C) {
  if (B.cols() == 1)
    C.noalias() = A * B.col(0);
  else
    in_blocks(A, B, C, false);
}

void add_product(const ConstColumns& A, const ConstColumns& B, Columns C) {
  in_blocks(A, B, C, true);
}

void multiply(const ConstColumns& A, const ConstColumns& B, Columns C, int workers) {
  if (B.cols() == 1) return multiply(A, B, C);
  in_runs_of_rows(A.rows(), flops_of(A, B), workers, [&](Index first, Index count) {
    multiply(A.middleRows(first, count), B, C.middleRows(first, count));
  });
}

void add_product(const ConstColumns& A, const ConstColumns& B, Columns C, int workers) {
  in_runs_of_rows(A.rows(), flops_of(A, B), workers, [&](Index first, Index count) {
    add_product(A.middleRows(first, count), B, C.middleRows(first, count));
  });
}

}  // namespace rezero
