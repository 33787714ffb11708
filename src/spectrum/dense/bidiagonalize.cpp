#include <algorithm>

#include "linalg/octet.h"
#include "linalg/scratch.h"
#include "spectrum/dense/bidiagonal.h"
#include "spectrum/dense/bidiagonal_kernel.h"
#include "spectrum/two_stage/band_reduction.h"
#include "spectrum/two_stage/bulge_chase.h"

namespace rezero::detail {
namespace {

/// Width of the band. Wider bands make better products in the first stage and more work for the second, which
/// gains less from threads.
Index band_width(Index n) {
  return n < 384 ? 16 : n < 1536 ? 24 : 48;
}

/// In one stage, of A or, if it is wide, of its transpose; min(rows, cols) ≥ 2.
Bidiagonal in_one_stage(const Matrix& A) {
  const Index rows = std::max(A.rows(), A.cols()), n = std::min(A.rows(), A.cols()),
              stride = whole_octets(rows);
  const Scratch copy(stride, n), work(3 * stride + 2 * n, 1);
  auto M = copy.matrix();
  M.bottomRows(stride - rows).setZero();
  if (A.rows() < A.cols())
    M.topRows(rows) = A.transpose();
  else
    M.topRows(rows) = A;
  Bidiagonal B{Vector(n), Vector(n - 1)};
  bidiagonal_kernel().reduce(M.data(), rows, n, stride, work.matrix().data(), B.diagonal.data(),
                             B.superdiagonal.data());
  return B;
}

}  // namespace

Bidiagonal bidiagonalize(const Matrix& A, int workers) {
  // The only value of a single row or column is its norm; entries near 1 cannot overflow it.
  if (A.rows() == 1 || A.cols() == 1) return {Vector::Constant(1, A.norm()), Vector()};
  constexpr Index large = 96;
  const Index n = std::min(A.rows(), A.cols());
  if (n < large) return in_one_stage(A);
  return chase_bulges(reduce_to_band(A, band_width(n), workers), workers);
}

}  // namespace rezero::detail
