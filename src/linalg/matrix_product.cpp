#include "linalg/matrix_product.h"

#include <algorithm>
#include <cstdint>

#include "linalg/matrix_product_kernel.h"
#include "linalg/small_product.h"
#include "rezero/core/contract.h"
#include "rezero/parallel/for_each.h"

namespace rezero {
namespace {

/// Blocks of A are copied if enough columns of B pass over them to pay for it. In place, each column of a
/// block lies in a page of its own. If columns are a multiple of 4 KiB apart, they also fall on the same few
/// lines of every cache, and tiles of narrow vectors, which need a line twice, load it twice.
bool is_copied(const detail::ProductOperands& p) {
  constexpr Index large = 1 << 15;  // numbers: a quarter of a megabyte
  const bool collide = p.a_stride % 512 == 0, narrow = detail::matrix_product_kernel().lanes < 8;
  const Index worth = !collide ? 128 : narrow ? 8 : 32;
  return p.rows * p.depth >= large && p.columns >= worth;
}

/// Kept by each thread: blocks are as large as the allocations that are returned to the system every time.
Real* room_for_copy() {
  constexpr Index line = 64 / sizeof(Real);
  thread_local Vector room(detail::block_rows * detail::block_depth + line);
  const auto address = reinterpret_cast<std::uintptr_t>(room.data());
  return room.data() + (64 - address % 64) % 64 / sizeof(Real);
}

detail::ProductOperands operands(const ConstColumns& A, const ConstColumns& B, Columns& C, bool added) {
  REZERO_REQUIRE(C.cols() == B.cols());
  if (B.rows() == 0 && !added) C.setZero();
  return {C.rows(), B.rows(),        C.cols(), A.data(),        A.outerStride(),
          B.data(), B.outerStride(), C.data(), C.outerStride(), added};
}

void in_blocks(const ConstColumns& A, const ConstColumns& B, Columns& C, bool added) {
  REZERO_REQUIRE(A.cols() == B.rows() && C.rows() == A.rows());
  const detail::ProductOperands p = operands(A, B, C, added);
  detail::matrix_product_kernel().multiply(p, is_copied(p) ? room_for_copy() : nullptr);
}

/// f(first, count) for runs of rows of the result that begin at multiples of what the kernel takes at once.
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

void multiply_transposed(const ConstColumns& A, const ConstColumns& B, Columns C) {
  REZERO_REQUIRE(A.rows() == B.rows() && C.rows() == A.cols());
  detail::matrix_product_kernel().multiply_transposed(operands(A, B, C, false));
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

void multiply_transposed(const ConstColumns& A, const ConstColumns& B, Columns C, int workers) {
  in_runs_of_rows(A.cols(), flops_of(A, B), workers, [&](Index first, Index count) {
    multiply_transposed(A.middleCols(first, count), B, C.middleRows(first, count));
  });
}

}  // namespace rezero
