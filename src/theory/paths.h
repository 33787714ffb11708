#pragma once
/// Sample paths of the slopes along the stream of preactivation blocks.

#include "rezero/theory/density.h"

namespace rezero::theory::detail {

/// φ′(x_l)² of `count` paths: one column per block. x_0 and every increment take the quantiles (k + ½)/count
/// of their laws once, in addressed random order, so that every marginal is nearly exact. Columns are scaled
/// to the exact E φ′² unless x_0 takes the quantiles of the entries of `input`; increments then have the
/// variance that φ² has over the paths. Deterministic.
Matrix slope_paths(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation,
                   const Vector& input, Index count);

}  // namespace rezero::theory::detail
