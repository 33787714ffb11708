#include <Eigen/SVD>
#include <algorithm>

#include "spectrum/dense/bidiagonal.h"
#include "spectrum/two_stage/band_reduction.h"
#include "spectrum/two_stage/bulge_chase.h"

namespace rezero::detail {
namespace {

/// Width of the band. Wider bands make better products in the first stage and more work for the second, which
/// gains less from threads.
Index band_width(Index n) {
  return n < 384 ? 16 : n < 1536 ? 24 : 48;
}

/// Overwrites A with the reflectors. rows ≥ cols ≥ 2.
Bidiagonal in_one_stage(Matrix&& A) {
  const Index n = A.cols();
  Eigen::internal::BandMatrix<Real, Eigen::Dynamic, Eigen::Dynamic, 1, 0, Eigen::RowMajor> band(n, n);
  Eigen::internal::upperbidiagonalization_inplace_blocked(A, band);
  return {band.diagonal(), band.template diagonal<1>()};
}

}  // namespace

Bidiagonal bidiagonalize(const Matrix& A, int workers) {
  // The only value of a single row or column is its norm; entries near 1 cannot overflow it.
  if (A.rows() == 1 || A.cols() == 1) return {Vector::Constant(1, A.norm()), Vector()};
  constexpr Index large = 96;
  const Index n = std::min(A.rows(), A.cols());
  if (n < large) return in_one_stage(A.rows() < A.cols() ? Matrix(A.transpose()) : Matrix(A));
  return chase_bulges(reduce_to_band(A, band_width(n), workers), workers);
}

}  // namespace rezero::detail
