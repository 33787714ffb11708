/// From the mean field of a network to what spectral laws depend on.

#include <cmath>

#include "rezero/core/error.h"
#include "rezero/theory/density.h"

namespace rezero::theory {
namespace {

/// e²: α²χ/λ² (plain: α²χ) without the slopes' part E φ′².
Real strength_of(const BlockLaw& block, const BlockState& state) {
  const bool plain = block.skip == 0;
  const Real ratio = plain ? block.scale * block.scale * state.branch_slope : state.ratio;
  const Real slopes = block.form == BranchForm::linear ? 1 : state.at_argument.slope_square;
  return ratio > 0 && slopes > 0 ? ratio / slopes : 0;
}

/// A branch whose slopes are all equal is a linear one: of one matrix, or a product of two orthogonal ones.
void become_linear(BlockTransform& block) {
  if (block.form == BranchForm::linear || block.slopes.square.size() != 1) return;
  if (block.form == BranchForm::mlp && (block.ensemble != Ensemble::haar || block.gamma != 1)) return;
  block.strength *= block.slopes.square(0);
  block.form = BranchForm::linear;
  block.slopes = {};
}

}  // namespace

std::vector<TransformRun> free_blocks(const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  std::vector<TransformRun> runs;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    TransformRun run;
    run.block.form = block.form, run.block.ensemble = block.ensemble;
    run.block.plain = block.skip == 0;
    run.block.strength = strength_of(block, state);
    if (block.form == BranchForm::mlp) run.block.gamma = block.gamma;
    const bool again =
        l > 0 && field.blocks[l - 1].argument == state.argument && runs.back().block.slopes.square.size();
    if (block.form != BranchForm::linear && run.block.strength > 0)
      run.block.slopes = again ? runs.back().block.slopes : integrals.slopes(state.argument);
    become_linear(run.block);
    // m1 grows by `factor`, which is that of the transform over the square of a norm's divisor
    const Real own = run.block.plain ? block.scale * block.scale * state.branch_slope : 1 + state.ratio;
    if (own == 0) throw NumericalError("J is zero");
    run.block.log_divisor = std::log(own / state.factor);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::optional<std::vector<CavityBlock>> cavity_blocks(const NetworkLaw& law, const MeanField& field,
                                                      const Vector& input) {
  if (input.size() == 0 && (!law.normal_input || law.input_mean != 0)) return std::nullopt;
  std::vector<CavityBlock> blocks;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    if (block.form != BranchForm::preactivation || block.ensemble != Ensemble::independent ||
        block.norm != NormPlacement::none || block.skip == 0)
      return std::nullopt;
    const Real variance = field.square(static_cast<Index>(l)).nearest();
    if (!(variance > 0) || !std::isfinite(variance)) return std::nullopt;
    blocks.push_back({strength_of(block, field.blocks[l]), variance, block.skip});
  }
  return blocks;
}

}  // namespace rezero::theory
