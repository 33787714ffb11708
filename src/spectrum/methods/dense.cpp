/// Householder bidiagonalization, in two stages from n = 96 up, then bisection: the default.

#include "rezero/spectrum/method.h"
#include "spectrum/dense/bidiagonal.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

FullValues dense_values(const Matrix& A, int workers) {
  const detail::Bidiagonal B = detail::bidiagonalize(A, workers);
  if (!B.diagonal.allFinite() || !B.superdiagonal.allFinite())
    return {{}, 0, false, "the bidiagonalization gave a value that is not finite"};
  const Vector sigma = detail::bidiagonal_singular_values(B, workers);
  return {sigma, detail::dense_resolution(A), false, detail::sturm_certificate(B, sigma)};
}

}  // namespace

SpectrumMethod method_dense() {
  SpectrumMethod method;
  method.name = "dense";
  method.summary = "all values: Householder bidiagonalization and bisection with Sturm counts";
  method.source =
      "Golub & Kahan 1965; Großer & Lang 1999 (two stages); Dhillon & Parlett 2004 (qd transformation)";
  method.full = dense_values;
  return method;
}

}  // namespace rezero
