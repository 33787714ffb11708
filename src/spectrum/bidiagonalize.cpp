#include <Eigen/SVD>

#include "spectrum/bidiagonal.h"

namespace rezero::detail {
namespace {

/// A is overwritten by the reflectors. rows ≥ cols ≥ 2.
Bidiagonal reduce(Matrix&& A) {
  const Index n = A.cols();
  Eigen::internal::BandMatrix<Real, Eigen::Dynamic, Eigen::Dynamic, 1, 0, Eigen::RowMajor> band(n, n);
  Eigen::internal::upperbidiagonalization_inplace_blocked(A, band);
  return {band.diagonal(), band.template diagonal<1>()};
}

}  // namespace

Bidiagonal bidiagonalize(const Matrix& A) {
  // A single row or column has its norm as only value; entries near 1 cannot overflow it.
  if (A.rows() == 1 || A.cols() == 1) return {Vector::Constant(1, A.norm()), Vector()};
  return A.rows() < A.cols() ? reduce(Matrix(A.transpose())) : reduce(Matrix(A));
}

}  // namespace rezero::detail
