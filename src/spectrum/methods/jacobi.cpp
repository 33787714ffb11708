/// Eigen's two-sided Jacobi: the last resort, for small matrices only (ten seconds at n = 512).

#include <Eigen/SVD>

#include "rezero/spectrum/method.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

FullValues jacobi_values(const Matrix& A, int /*workers*/) {
  const Eigen::JacobiSVD<Matrix> svd(A);
  if (svd.info() != Eigen::Success) return {{}, 0, false, "Eigen::JacobiSVD did not converge"};
  return {svd.singularValues(), 4 * detail::dense_resolution(A), false, {}};
}

}  // namespace

SpectrumMethod method_jacobi() {
  SpectrumMethod method;
  method.name = "jacobi";
  method.summary = "all values: Eigen's two-sided Jacobi, for dimensions up to 128";
  method.source = "Golub & Van Loan, Matrix Computations, section 8.6, as in Eigen 3.4";
  method.max_dimension = 128;
  method.full = jacobi_values;
  return method;
}

}  // namespace rezero
