#include "rezero/theory/outlook.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

/// Masks of preactivation branches persist along the stream, so that their blocks are not free.
bool has_persistent_masks(const NetworkLaw& law) {
  Index with_branch = 0;
  for (const BlockLaw& block : law.blocks)
    if (block.form == BranchForm::preactivation && !block.off()) ++with_branch;
  return with_branch > 1 && law.activation.kind().name != "identity";
}

/// The law of log σ², with skip scales, which the cavity equations leave out. `input`: x_0, or nothing for a
/// random one.
SpectralLaw cavity_law(const NetworkLaw& law, const std::vector<CavityBlock>& blocks, const Vector& input) {
  SpectralLaw found = cavity(blocks, GaussianIntegrals(law.activation), input);
  Real skips = 0;
  for (const BlockLaw& block : law.blocks) skips += 2 * std::log(std::abs(block.skip));
  if (skips == 0) return found;
  found.log_square.array() += skips;
  found.one += skips;
  found.upper.log_square += skips;
  if (found.lower) found.lower->log_square += skips;
  return found;
}

/// A product of D W with orthogonal W has an atom where slopes have one, of mass 1 − Σ (1 − p): no smooth
/// law.
bool has_atoms(const std::vector<TransformRun>& runs) {
  Real mass = 1;
  bool any = false;
  for (const TransformRun& run : runs) {
    if (!run.block.plain || run.block.ensemble != Ensemble::haar) return false;
    if (run.block.form == BranchForm::linear) continue;
    Real largest = 0;
    for (Index k = 0; k < run.block.slopes.square.size(); ++k)
      if (run.block.slopes.square(k) > 0) largest = std::max(largest, run.block.slopes.weight(k));
    mass -= static_cast<Real>(run.count) * (1 - largest);
    any = true;
  }
  return any && mass > 1e-12;
}

/// Nothing if the law is not known.
std::optional<SpectralLaw> law_of(const NetworkLaw& law, const MeanField& field, const Vector& input = {}) {
  if (!has_persistent_masks(law)) {
    const std::vector<TransformRun> blocks = free_blocks(law, field);
    if (has_atoms(blocks))
      throw NumericalError("the law has atoms, at products of slopes that many units share");
    return march(blocks);
  }
  const auto blocks = cavity_blocks(law, field, input);
  if (!blocks) return std::nullopt;
  return cavity_law(law, *blocks, input);
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
  } catch (const Error& error) {
    out.reason = error.what();
    return out;
  }
  out.law = std::move(described.law);
  try {
    out.spectrum = law_of(*out.law, out.field);
    if (!out.spectrum)
      out.no_spectrum =
          "preactivation branches, whose masks persist along the stream, beside a norm, orthogonal weights, "
          "a block "
          "without skip or an input that is not normal";
  } catch (const Error& error) {
    out.no_spectrum = error.what();
  }
  return out;
}

HasNorms Outlook::norms() const {
  for (const BlockLaw& block : law->blocks)
    if (block.norm != NormPlacement::none) return HasNorms::yes;
  return HasNorms::no;
}

bool stream_is_erratic(const Outlook& outlook) {
  if (!outlook.law || outlook.law->activation.kind().degree <= 1) return false;
  return !outlook.moments.spread || !(*outlook.moments.spread <= largest_testable);
}

std::optional<SpectralLaw> spectrum_at(const Outlook& outlook, const Vector& input) {
  if (!outlook.law) return std::nullopt;
  NetworkLaw law = *outlook.law;
  law.input_square = input.squaredNorm() / static_cast<Real>(input.size());
  law.input_mean = input.mean();
  try {
    return law_of(law, mean_field(law), input);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool depends_on_input(const Outlook& outlook) {
  if (!outlook.law) return false;
  const NetworkLaw& law = *outlook.law;
  const bool homogeneous = law.activation.homogeneous() && outlook.norms() == HasNorms::no;
  return !homogeneous || has_persistent_masks(law);
}

namespace {

constexpr Real median_of_normal = 0.6745;  // of its modulus

Real allowance_of_norms(const Outlook& outlook) {
  if (outlook.norms() == HasNorms::no) return 0;
  constexpr Real lost_directions = 2;
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
  const Real highest = outlook.spectrum->density.size() > 0 ? outlook.spectrum->density.maxCoeff() : 0;
  return lost_directions + median_of_normal * std::sqrt(variance) * n * highest;
}

/// Relative standard deviation of Σ c_l over draws of the masks.
Real fluctuation_of_slopes(const Outlook& outlook) {
  const Real n = static_cast<Real>(outlook.width());
  Real squares = 0, sum = 0;
  for (Index l = 0; l < outlook.depth(); ++l) {
    const BlockLaw& law = outlook.law->blocks[static_cast<std::size_t>(l)];
    const BlockState& state = outlook.field.blocks[static_cast<std::size_t>(l)];
    // What a layer contributes to the width of the law: bounded, however strong it is.
    const Real weight = law.skip == 0 ? 1 : state.ratio / (1 + state.ratio);
    sum += weight;
    if (law.form == BranchForm::linear || law.off()) continue;
    const Real units = law.form == BranchForm::mlp ? law.gamma * n : n;
    squares += weight * weight * (state.at_argument.kurtosis() - 1) / units;
  }
  return sum > 0 ? std::sqrt(squares) / sum : 0;
}

/// Weights that make the mean larger by that factor, in the direction in which a sample's shares most likely
/// differ from them: w (1 + t (d − E d)), t Var d = relative E d.
void favour_large(SlopeLaw& slopes, Real relative) {
  if (slopes.square.size() < 2) return;
  const Real mean = slopes.weight.dot(slopes.square);
  const Eigen::ArrayXd beyond = slopes.square.array() - mean;
  const Real variance = (slopes.weight.array() * beyond.square()).sum();
  if (variance <= 0) return;
  slopes.weight = (slopes.weight.array() * (1 + relative * mean / variance * beyond)).max(0).matrix();
  slopes.weight /= slopes.weight.sum();
}

Real allowance_of_slopes(const Outlook& outlook) {
  // The law of preactivation branches is computed for the masks of the draw's own input.
  if (has_persistent_masks(*outlook.law)) return 0;
  const Real relative = fluctuation_of_slopes(outlook);
  if (relative == 0) return 0;
  std::vector<TransformRun> stronger = free_blocks(*outlook.law, outlook.field);
  for (TransformRun& run : stronger) favour_large(run.block.slopes, relative);
  const SpectralLaw& law = *outlook.spectrum;
  Real distance = 0;
  try {
    const SpectralLaw other = march(stronger);
    for (Index i = 0; i < law.log_square.size(); ++i) {
      const Real y = law.log_square(i);
      distance = std::max(distance, std::abs(law.cumulative(y) - other.cumulative(y)));
    }
  } catch (const Error&) {  // the law is known, its neighbour is not: no allowance
  }
  return median_of_normal * static_cast<Real>(outlook.width()) * distance;
}

Real allowance_of_ranks(const Outlook& outlook) {
  if (outlook.spectrum->atom_at_zero == 0 || outlook.ranks.limit.empty()) return 0;
  const Real lost = outlook.ranks.limit.back() - outlook.ranks.expected.back();
  return static_cast<Real>(outlook.width()) * std::max<Real>(0, lost);
}

}  // namespace

Real distance_allowance(const Outlook& outlook) {
  if (!outlook.spectrum) return 0;
  return allowance_of_norms(outlook) + allowance_of_slopes(outlook) + allowance_of_ranks(outlook);
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
