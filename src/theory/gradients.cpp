#include "rezero/theory/gradients.h"

#include <algorithm>
#include <cmath>

#include "theory/outlier.h"

namespace rezero::theory {
namespace {

/// log of the share of directions that a norm after the sum keeps.
Real log_kept(const BlockLaw& block, Index width) {
  if (block.norm != NormPlacement::after_sum) return 0;
  return std::log1p(-(block.centered ? 2 : 1) / static_cast<Real>(width));
}

bool has_outlier(const NetworkLaw& law, const MeanField& field) {
  return std::isfinite(growth(law, field, 0).log_excess);
}

}  // namespace

GradientLaw gradients(const NetworkLaw& law, const MeanField& field) {
  const std::size_t count = law.blocks.size();
  GradientLaw gradients;
  gradients.log_square.assign(count + 1, 0);
  gradients.scale.resize(count);
  const bool outlier = has_outlier(law, field);
  Real kept = 0, bulk = 0;
  for (std::size_t l = count; l-- > 0;) {
    kept += log_kept(law.blocks[l], law.width);
    bulk += std::log(field.blocks[l].factor);
    gradients.log_square[l] = kept + (outlier ? growth(law, field, l).log_total : bulk);
  }
  const bool all_off = std::all_of(law.blocks.begin(), law.blocks.end(),
                                   [](const BlockLaw& block) { return block.scale == 0; });
  std::optional<Real> skips = 1;  // above the block; norms mix directions
  for (std::size_t l = count; l-- > 0;) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    if (block.norm == NormPlacement::after_sum) skips.reset();
    if (!block.unknown_branch) {
      const Real log_above = gradients.log_square[l + 1] + log_kept(block, law.width) - state.log_divisor;
      // A branch behind a norm is in the stream's units as well (mean_field.h).
      const Real unit = static_cast<Real>(state.exponent) * std::log(Real{2});
      const Real mean = state.branch_mean, square = state.branch_square;
      ScaleGradient gradient;
      gradient.log_square = log_above + std::log(square) + unit;
      gradient.log_variance = log_above + std::log(std::max<Real>(0, square - mean * mean)) + unit;
      if (all_off && skips && state.exponent == 0) gradient.mean = *skips * mean;
      gradients.scale[l] = gradient;
    }
    if (skips) *skips *= block.skip;
  }
  return gradients;
}

}  // namespace rezero::theory
