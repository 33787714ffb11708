/// Eigen's divide and conquer, values only: the first fallback. It must never see a non-finite entry (it may
/// not return), and it gives NaN with status Success for some matrices of rank one: the certificate notices.

#include <Eigen/SVD>

#include "rezero/spectrum/method.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

FullValues bdcsvd_values(const Matrix& A, int /*workers*/) {
  const Eigen::BDCSVD<Matrix> svd(A);
  if (svd.info() != Eigen::Success) return {{}, 0, false, "Eigen::BDCSVD did not converge"};
  return {svd.singularValues(), detail::dense_resolution(A), false, {}};
}

}  // namespace

SpectrumMethod bdcsvd_method() {
  SpectrumMethod method;
  method.name = "bdcsvd";
  method.summary = "all values: Eigen's divide and conquer";
  method.reference = "Gu & Eisenstat 1995, as in Eigen 3.4";
  method.full = bdcsvd_values;
  return method;
}

}  // namespace rezero
