#pragma once
/// Products with one random singular spectrum: the curve of density.h would touch the real line.

#include "rezero/theory/density.h"

namespace rezero::theory::detail {

/// The law of a single block with orthogonal weights, among any number of plain linear ones, which only
/// scale: I + αW has σ² = 1 + e² + 2 e cos θ, θ uniform; D W and W₂ D W₁ (γ ≤ 1) have the slopes themselves.
/// Absent for every other product.
std::optional<SpectralLaw> orthogonal_block_law(const std::vector<TransformRun>& blocks);

}  // namespace rezero::theory::detail
