#include <Eigen/QR>
#include <cmath>

#include "rezero/linalg/maps.h"
#include "spectrum/krylov/ritz.h"
#include "spectrum/krylov/small_svd.h"

namespace rezero::detail {
namespace {

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
  const MatrixPtr borrowed(std::shared_ptr<const void>(), &A);
  return ritz_triplets(*dense_map(borrowed), subspace);
}

Triplets ritz_triplets(const LinearMap& A, const Subspace& subspace) {
  const Real allowed_loss = rounding_bound(A.cols());
  Triplets triplets;
  const Matrix V = orthonormal(subspace.right), U = orthonormal(subspace.left);
  Matrix image(A.rows(), V.cols()), back(A.cols(), V.cols());
  A.apply(V, image);
  const SmallSvd small = small_svd(U.transpose() * image);
  triplets.sigma = small.sigma;
  triplets.left.noalias() = U * small.left;
  triplets.right.noalias() = V * small.right;

  A.apply(triplets.right, image);
  A.apply_transpose(triplets.left, back);
  image.noalias() -= triplets.left * triplets.sigma.asDiagonal();
  back.noalias() -= triplets.right * triplets.sigma.asDiagonal();
  triplets.right_residual = image.colwise().norm().transpose();
  triplets.left_residual = back.colwise().norm().transpose();
  triplets.residual = std::hypot(triplets.right_residual.norm(), triplets.left_residual.norm());
  if (!std::isfinite(triplets.residual) || !triplets.sigma.allFinite())
    triplets.failure = "a Ritz vector is not finite";
  else if (!(orthogonality_loss(triplets.left) <= allowed_loss &&
             orthogonality_loss(triplets.right) <= allowed_loss))
    triplets.failure = "the singular vectors are not orthonormal";
  return triplets;
}

bool are_apart(const Triplets& top, const Triplets& bottom) {
  constexpr Real largest_overlap = 1e-8;
  return (top.right.transpose() * bottom.right).norm() <= largest_overlap;
}

}  // namespace rezero::detail
