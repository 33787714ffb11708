#include <Eigen/SVD>
#include <cmath>

#include "spectrum/krylov.h"

namespace rezero::detail {
namespace {

/// S and W of the small k × k matrix; and its left vectors. Jacobi up to 64 columns, divide and conquer
/// above.
template <class Svd>
void take(const Svd& svd, Triplets& triplets, const Matrix& Q, const Matrix& basis) {
  triplets.sigma = svd.singularValues();
  triplets.left.noalias() = Q * svd.matrixU();
  triplets.right.noalias() = basis * svd.matrixV();
}

Matrix orthonormal(const Matrix& A) {
  return Eigen::HouseholderQR<Matrix>(A).householderQ() * Matrix::Identity(A.rows(), A.cols());
}

/// ‖QᵀQ − I‖_F.
Real orthogonality_loss(const Matrix& Q) {
  Matrix gram = Q.transpose() * Q;
  gram.diagonal().array() -= 1;
  return gram.norm();
}

}  // namespace

Triplets ritz_triplets(const Matrix& A, const Subspace& subspace) {
  constexpr Index jacobi_limit = 64;  // above, Jacobi is the slower one
  const Real allowed_loss = rounding_bound(A.cols());
  Triplets triplets;
  const Matrix V = orthonormal(subspace.right), U = orthonormal(subspace.left),
               small = U.transpose() * (A * V);
  constexpr int vectors = Eigen::ComputeFullU | Eigen::ComputeFullV;
  if (small.cols() <= jacobi_limit)
    take(Eigen::JacobiSVD<Matrix>(small, vectors), triplets, U, V);
  else
    take(Eigen::BDCSVD<Matrix>(small, vectors), triplets, U, V);

  const auto S = triplets.sigma.asDiagonal();
  const Real forward = Matrix(A * triplets.right - triplets.left * S).norm();
  const Real backward = Matrix(A.transpose() * triplets.left - triplets.right * S).norm();
  triplets.residual = std::hypot(forward, backward);
  if (!std::isfinite(triplets.residual) || !triplets.sigma.allFinite())
    triplets.failure = "a Ritz vector is not finite";
  else if (!(orthogonality_loss(triplets.left) <= allowed_loss &&
             orthogonality_loss(triplets.right) <= allowed_loss))
    triplets.failure = "the singular vectors are not orthonormal";
  return triplets;
}

}  // namespace rezero::detail
