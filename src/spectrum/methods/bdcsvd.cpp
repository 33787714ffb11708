/// Eigen's divide and conquer, values only: the first fallback. It must never see a non-finite entry (it may
/// not return). For some matrices of rank one it gives NaN with status Success, which the certificate
/// notices. Occasionally a small value is wrong by 1e-10 of the largest, which only a comparison with other
/// values can show.

#include <Eigen/SVD>

#include "rezero/spectrum/method.h"
#include "spectrum/dense/bidiagonal.h"
#include "spectrum/resolution.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

/// Compares with bisection: two backward stable methods differ by no more than the sum of their claims.
std::string disagreement(const Matrix& A, const Vector& sigma, Real claim, int workers) {
  const detail::Bidiagonal B = detail::bidiagonalize(A, workers);
  if (!sigma.allFinite() || !B.diagonal.allFinite() || !B.superdiagonal.allFinite()) return {};
  const Real apart = (detail::bidiagonal_singular_values(B, workers) - sigma).cwiseAbs().maxCoeff();
  if (apart <= 2 * claim * sigma[0]) return {};
  return "a value differs from that by bisection by " + detail::text(apart / sigma[0]) + " of sigma_max";
}

FullValues bdcsvd_values(const Matrix& A, int workers) {
  const Eigen::BDCSVD<Matrix> svd(A);
  if (svd.info() != Eigen::Success) return {{}, 0, false, "Eigen::BDCSVD did not converge"};
  const Vector sigma = svd.singularValues();
  const Real claim = detail::dense_resolution(A);
  return {sigma, claim, false, disagreement(A, sigma, claim, workers)};
}

}  // namespace

SpectrumMethod method_bdcsvd() {
  SpectrumMethod method;
  method.name = "bdcsvd";
  method.summary = "all values: Eigen's divide and conquer, compared with bisection";
  method.source = "Gu & Eisenstat 1995, as in Eigen 3.4";
  method.full = bdcsvd_values;
  return method;
}

}  // namespace rezero
