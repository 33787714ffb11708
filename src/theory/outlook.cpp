#include "rezero/theory/outlook.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

bool same_slopes(const SlopeLaw& a, const SlopeLaw& b) {
  return a.square.size() == b.square.size() && a.square == b.square && a.weight == b.weight;
}

bool same(const BlockTransform& a, const BlockTransform& b) {
  return a.form == b.form && a.ensemble == b.ensemble && a.plain == b.plain && a.strength == b.strength &&
         a.gamma == b.gamma && a.log_divisor == b.log_divisor && same_slopes(a.slopes, b.slopes);
}

/// I + αB/λ with the scalars of its block; B if λ = 0.
BlockTransform transform_of(const BlockLaw& law, const BlockState& state,
                            const GaussianIntegrals& integrals) {
  BlockTransform block;
  block.form = law.form, block.ensemble = law.ensemble, block.gamma = law.gamma;
  block.plain = law.skip == 0;
  const Real slope = law.form == BranchForm::linear ? 1 : state.at_argument.slope_square;
  if (law.form != BranchForm::linear) block.slopes = integrals.slopes(state.argument);
  if (block.plain) {
    const Real weights = law.form == BranchForm::mlp ? law.weight * law.weight2 : law.weight;
    block.strength = law.scale * law.scale * weights;
    if (law.norm != NormPlacement::none)
      block.log_divisor = std::log(block.strength * slope) - std::log(state.factor);
    return block;
  }
  block.strength = slope > 0 ? state.ratio / slope : 0;
  if (law.norm == NormPlacement::after_sum)
    block.log_divisor = std::log1p(state.ratio) - std::log(state.factor);
  else if (law.skip * law.skip != 1)
    block.log_divisor = -std::log(law.skip * law.skip);
  return block;
}

std::vector<TransformRun> transforms_of(const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  std::vector<TransformRun> runs;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    BlockTransform block = transform_of(law.blocks[l], field.blocks[l], integrals);
    if (!runs.empty() && same(runs.back().block, block))
      ++runs.back().count;
    else
      runs.push_back({std::move(block), 1});
  }
  return runs;
}

std::vector<CavityBlock> cavity_blocks(const NetworkLaw& law, const MeanField& field) {
  std::vector<CavityBlock> blocks;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    blocks.push_back(
        {block.scale * block.scale * block.weight / (block.skip * block.skip), field.blocks[l].argument});
  }
  return blocks;
}

/// Masks of preactivation branches persist along the stream, so that their blocks are not free.
bool has_persistent_masks(const NetworkLaw& law) {
  Index with_branch = 0;
  for (const BlockLaw& block : law.blocks)
    if (block.form == BranchForm::preactivation && !block.off()) ++with_branch;
  return with_branch > 1 && law.activation.kind().name != "identity";
}

/// Why the cavity equations do not cover these blocks; empty if they do.
std::string beyond_cavity(const NetworkLaw& law, const MeanField& field) {
  if (!law.normal_input) return "preactivation branches of an input that is not normal";
  for (const BlockLaw& block : law.blocks) {
    if (block.form != BranchForm::preactivation || block.norm != NormPlacement::none)
      return "preactivation branches beside norms";
    if (block.skip == 0) return "preactivation branches without a skip";
    if (block.skip != 1) return "preactivation branches beside a skip scale";
    if (block.ensemble == Ensemble::haar) return "preactivation branches with orthogonal weights";
  }
  if (field.final_exponent != 0) return "a stream beyond the range of doubles";
  return "";
}

SpectralLaw law_of(const NetworkLaw& law, const MeanField& field) {
  if (has_persistent_masks(law)) return cavity(cavity_blocks(law, field), GaussianIntegrals(law.activation));
  return march(transforms_of(law, field));
}

/// e^log at any size; 0 for −∞.
ScaledReal exponential(Real log) {
  if (std::isinf(log) && log < 0) return {};
  const Real twos = std::floor(log / std::log(Real{2}));
  return ScaledReal::make(std::exp(log - twos * std::log(Real{2})), static_cast<std::int64_t>(twos));
}

}  // namespace

Outlook outlook(const StackSpec& spec, Index depth) {
  Outlook out;
  Described described = describe(spec, depth);
  out.reason = std::move(described.reason);
  if (!described.law) return out;
  try {
    out.field = mean_field(*described.law);
    out.moments = moments(*described.law, out.field);
    out.ranks = rank_law(*described.law, out.field);
  } catch (const NumericalError& error) {
    out.reason = error.what();
    return out;
  }
  out.law = std::move(described.law);
  if (has_persistent_masks(*out.law)) out.no_spectrum = beyond_cavity(*out.law, out.field);
  if (!out.no_spectrum.empty()) return out;
  try {
    out.spectrum = law_of(*out.law, out.field);
  } catch (const NumericalError& error) {
    out.no_spectrum = error.what();
  }
  return out;
}

HasNorms Outlook::norms() const {
  for (const BlockLaw& block : law->blocks)
    if (block.norm != NormPlacement::none) return HasNorms::yes;
  return HasNorms::no;
}

std::optional<SpectralLaw> spectrum_at(const Outlook& outlook, Real input_square, Real input_mean) {
  if (!outlook.spectrum) return std::nullopt;
  NetworkLaw law = *outlook.law;
  law.input_square = input_square, law.input_mean = input_mean;
  try {
    return law_of(law, mean_field(law));
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

Real distance_allowance(const Outlook& outlook) {
  if (outlook.norms() == HasNorms::no) return 0;
  constexpr Real lost_directions = 2, median_of_normal = 0.6745;
  const Real n = static_cast<Real>(outlook.width());
  Real variance = 0;
  for (Index l = 0; l < outlook.depth(); ++l) {
    const BlockLaw& law = outlook.law->blocks[static_cast<std::size_t>(l)];
    if (law.norm != NormPlacement::after_sum) continue;
    const BlockState& state = outlook.field.blocks[static_cast<std::size_t>(l)];
    const Real skip = law.skip * law.skip * state.square,
               branch = law.scale * law.scale * state.branch_square;
    const Real sum = skip + branch;
    if (sum > 0) variance += (4 * skip * branch + 2 * branch * branch) / (n * sum * sum);
  }
  const Real highest =
      outlook.spectrum && outlook.spectrum->density.size() > 0 ? outlook.spectrum->density.maxCoeff() : 0;
  return lost_directions + median_of_normal * std::sqrt(variance) * n * highest;
}

std::vector<ScaledReal> Outlook::forward_rms() const {
  std::vector<ScaledReal> rms;
  for (Index l = 0; l <= depth(); ++l) {
    const ScaledReal q = field.square(l);
    rms.push_back(q.is_zero() ? ScaledReal{} : exponential(q.log() / 2));
  }
  return rms;
}

std::vector<ScaledReal> Outlook::gradient_square() const {
  std::vector<ScaledReal> squares;
  for (Index l = 0; l <= depth(); ++l) squares.push_back(exponential(log_mean_square(*law, field, l)));
  return squares;
}

std::vector<std::optional<ScaledReal>> Outlook::gate_gradient_square() const {
  std::vector<std::optional<ScaledReal>> squares;
  for (const std::optional<ScaleGradient>& each : gradients(*law, field).scale)
    squares.push_back(each ? std::optional<ScaledReal>(exponential(each->log_square)) : std::nullopt);
  return squares;
}

}  // namespace rezero::theory
