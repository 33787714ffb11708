#include "spectrum/krylov/small_svd.h"

#include <Eigen/SVD>

namespace rezero::detail {
namespace {

constexpr unsigned vectors = Eigen::ComputeFullU | Eigen::ComputeFullV;

template <class Svd>
SmallSvd parts(const Svd& svd) {
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

}  // namespace

SmallSvd small_svd(const Matrix& A) {
  constexpr Index jacobi_limit = 64;  // Jacobi is slower above
  if (A.cols() > jacobi_limit) {
    SmallSvd svd = parts(Eigen::BDCSVD<Matrix>(A, vectors));
    if (svd.left.allFinite() && svd.right.allFinite() && svd.sigma.allFinite()) return svd;
  }
  return parts(Eigen::JacobiSVD<Matrix>(A, vectors));
}

}  // namespace rezero::detail
