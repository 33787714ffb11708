/// LAPACK's divide and conquer through LAPACKE, in builds with REZERO_WITH_LAPACKE: a second opinion from
/// independent code. BLAS threading may change the last bits, so it is used only when requested by name.

#define LAPACK_COMPLEX_CPP  // do not define the macro I
#include <lapacke.h>

#include <limits>

#include "rezero/spectrum/method.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

FullValues lapack_values(const Matrix& A, int /*workers*/) {
  if (A.rows() > std::numeric_limits<lapack_int>::max() || A.cols() > std::numeric_limits<lapack_int>::max())
    return {{}, 0, false, "the matrix is larger than LAPACK's integers"};
  Matrix work = A;
  Vector sigma(std::min(A.rows(), A.cols()));
  const auto rows = static_cast<lapack_int>(A.rows()), cols = static_cast<lapack_int>(A.cols());
  const lapack_int info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', rows, cols, work.data(), rows, sigma.data(),
                                         nullptr, 1, nullptr, 1);
  if (info != 0) return {{}, 0, false, "LAPACK's dgesdd gave info = " + std::to_string(info)};
  return {std::move(sigma), detail::dense_resolution(A), false, {}};
}

}  // namespace

SpectrumMethod method_lapack() {
  SpectrumMethod method;
  method.name = "lapack";
  method.summary = "all values: LAPACK's divide and conquer (dgesdd)";
  method.source = "Gu & Eisenstat 1995, as in LAPACK";
  method.only_by_name = true;
  method.full = lapack_values;
  return method;
}

}  // namespace rezero
