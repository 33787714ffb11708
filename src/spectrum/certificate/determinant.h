#pragma once
/// log|det A| of square and rectangular matrices, for the certificate.

#include "rezero/core/types.h"

namespace rezero::detail {

/// log|det| of A (of R if A is rectangular), and the backward error of the factorization relative to the
/// largest entry, in units of n eps: 1 for QR; the growth of the entries for LU with partial pivoting
/// (Wilkinson 1961).
struct LogDeterminant {
  Real value = 0, growth = 1;
};

/// Square A: by LU with partial pivoting, in panels; the next panel is factored while the columns to its
/// right are updated (look-ahead). Bits do not depend on `workers`. Otherwise: by QR on one thread.
/// `largest`: the modulus of A's largest entry, not 0. −∞ if A is singular. Cost 2/3 n³; memory one copy of
/// A.
LogDeterminant log_determinant(ConstColumns A, Real largest, int workers);

}  // namespace rezero::detail
