/// Householder bidiagonalization, then bisection: the default.

#include "rezero/spectrum/method.h"
#include "spectrum/bidiagonal.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

FullValues dense_values(const Matrix& A) {
  const detail::Bidiagonal B = detail::bidiagonalize(A);
  if (!B.diagonal.allFinite() || !B.superdiagonal.allFinite())
    return {{}, 0, false, "the bidiagonalization gave a value that is not finite"};
  const Vector sigma = detail::bidiagonal_singular_values(B);
  return {sigma, detail::dense_resolution(A), false, detail::sturm_certificate(B, sigma)};
}

}  // namespace

SpectrumMethod dense_method() {
  SpectrumMethod method;
  method.name = "dense";
  method.summary = "all values: Householder bidiagonalization and bisection with Sturm counts";
  method.reference = "Golub & Kahan 1965; Dhillon & Parlett 2004 (stationary qd transformation)";
  method.full = dense_values;
  return method;
}

}  // namespace rezero
