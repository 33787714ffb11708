#pragma once
/// The orthogonalization of a few columns among themselves, all at once.

#include <optional>

#include "rezero/core/types.h"

namespace rezero::detail {

/// P = W R: the upper triangle R of Cholesky's factorization PᵀP = RᵀR, by sums over runs of rows in a fixed
/// order, on `workers` threads. Empty if a column keeps less than a thousandth of its norm: the squares then
/// hold too few digits of the rest. Cost 2 rows cols².
std::optional<Matrix> gram_triangle(const ConstColumns& P, int workers);

/// P ← P R⁻¹ by substitution, each row by itself: the residual P − W R is below a small multiple of eps
/// |W||R| whatever the condition of R. Cost rows cols².
void divide_by_triangle(Columns P, const Matrix& R, int workers);

}  // namespace rezero::detail
