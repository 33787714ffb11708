#pragma once
/// The direction that J maps its largest singular value to.

#include <optional>

#include "rezero/spectrum/spectrum.h"

namespace rezero::detail {

/// |⟨u_1, 1/√m⟩| of the top left singular vector of A (m × n, the mantissa of J) with the all-ones direction;
/// `s` is the spectrum of J, in full. Nothing unless σ_2 < (1 − 1e-3) σ_1 and a vector is found with ‖A v −
/// σ_1 u‖ ≤ 1e-8 σ_1, v = Aᵀu/‖Aᵀu‖: with that gap its angle to u_1 is below 1e-5. Lanczos on AAᵀ (Golub &
/// Van Loan, Matrix Computations, section 10.1) from the all-ones vector, then from one drawn from `start` if
/// that has no part along u_1. Cost 4 m n a step and m for each step before, at most 96 steps; memory 96 m
/// doubles, no copy of A.
std::optional<Real> ones_overlap(const ScaledMatrix& J, const Spectrum& s, const StreamKey& start);

}  // namespace rezero::detail
