#pragma once
/// The overlap of the top left singular vector with the all-ones direction.

#include <optional>

#include "rezero/spectrum/spectrum.h"

namespace rezero::detail {

/// |⟨u_1, 1/√m⟩| of the top left singular vector u_1 of J (m × n) with the all-ones direction; `s` is the
/// full spectrum of J. Absent unless σ_2 < (1 − 1e-3) σ_1 and u_1 is found with a residual below 1e-8 σ_1:
/// with that gap its angle to the true vector is below 1e-5. The search (spectrum/krylov/top_direction.h)
/// starts from the all-ones vector and then, in case that has no component along u_1, from one drawn from
/// `start`.
std::optional<Real> ones_overlap(const ScaledMatrix& J, const Spectrum& s, const StreamKey& start);

}  // namespace rezero::detail
