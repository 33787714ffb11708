#pragma once
/// The left singular vector of the largest singular value.

#include <optional>

#include "rezero/core/types.h"

namespace rezero::detail {

/// u with ‖A v − σ u‖ ≤ 1e-8 σ for v = Aᵀu/‖Aᵀu‖. Absent if Lanczos on AAᵀ from `start` (not zero) does not
/// find one in 96 steps. A: m × n; sigma: its largest singular value. Source: Golub & Van Loan, Matrix
/// Computations, section 10.1. Cost 4 m n per step plus m for each preceding step; memory 96 m doubles, no
/// copy of A.
std::optional<Vector> top_direction(const Matrix& A, Real sigma, const Vector& start);

}  // namespace rezero::detail
