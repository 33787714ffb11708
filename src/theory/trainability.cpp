#include "rezero/theory/trainability.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/error.h"
#include "theory/roots.h"

namespace rezero::theory {
namespace {

/// Numbers of a block in the units of its state: variances in 2^exponent.
struct Units {
  explicit Units(const BlockState& state) : per_unit(std::exp2(-static_cast<Real>(state.exponent))) {}
  Real per_unit;
  Real of(Real variance) const { return variance == 0 ? 0 : variance * per_unit; }
};

/// Covariance of the branch's inputs, after a norm before it, which divides states by √(q + ε).
Real branch_input(const BlockLaw& block, const BlockState& state, Real covariance) {
  if (block.norm != NormPlacement::before_branch) return covariance;
  const Real mean2 = block.centered ? state.mean * state.mean : 0;
  return (covariance - mean2) / (state.square - mean2 + Units(state).of(block.epsilon));
}

/// E F_i(x) F_i(y).
Real branch_covariance(const GaussianIntegrals& activation, const BlockLaw& block, const BlockState& state,
                       Real covariance) {
  const Real input = branch_input(block, state, covariance);
  // After a norm, states have no unit.
  const auto bias = [&](Real variance) {
    return block.norm == NormPlacement::before_branch ? variance : Units(state).of(variance);
  };
  if (block.form == BranchForm::linear) return block.weight * input + bias(block.bias);
  const bool before_weights = block.form == BranchForm::preactivation;
  const Real argument = before_weights ? input : block.weight * input + bias(block.bias);
  const Real rho = state.argument > 0 ? std::clamp(argument / state.argument, Real{-1}, Real{1}) : 1;
  const Real product = activation.product(state.argument, state.argument, rho);
  if (block.form == BranchForm::dense) return product;
  return before_weights ? block.weight * product + bias(block.bias)
                        : block.weight2 * product + bias(block.bias2);
}

/// ρ after the block.
Real next_correlation(const GaussianIntegrals& activation, const BlockLaw& block, const BlockState& state,
                      Real rho) {
  const Real a2 = block.scale * block.scale, skip2 = block.skip * block.skip;
  const Real means = 2 * block.skip * block.scale * state.mean * state.branch_mean;
  Real square = skip2 * state.square + means + a2 * state.branch_square, covariance = square;
  if (rho < 1)
    covariance = skip2 * rho * state.square + means +
                 a2 * branch_covariance(activation, block, state, rho * state.square);
  if (block.norm == NormPlacement::after_sum && block.centered) {
    const Real mean = block.skip * state.mean + block.scale * state.branch_mean;
    square -= mean * mean, covariance -= mean * mean;
  }
  return std::clamp(covariance / square, Real{-1}, Real{1});
}

void require_range(const TrainabilityOptions& options) {
  if (!(options.range > 0 && std::isfinite(options.range)))
    throw UsageError("the range of trainability must be a positive number");
  if (!(options.rho > -1 && options.rho < 1))
    throw UsageError("the correlation of two inputs must lie between -1 and 1, ends excluded");
  if (options.limit < 1) throw UsageError("the largest depth of a search must be at least 1");
}

/// |log √m1| after each number of blocks, from 0 on.
std::vector<Real> gradient_drift(const MeanField& field) {
  std::vector<Real> drift = {0};
  Real log_moment = 0;
  for (const BlockState& block : field.blocks) {
    log_moment += std::log(block.factor);
    drift.push_back(std::abs(log_moment) / 2);
  }
  return drift;
}

/// |log (1 − ρ)/(1 − ρ_0)|; equal inputs are infinitely far from where they were.
Real correlation_drift(Real rho, Real first) {
  return std::abs(std::log(std::max(Real{0}, 1 - rho) / (1 - first)));
}

/// The last depth within the range; nothing if all are. Ends as soon as it is known.
std::optional<Index> correlation_within(const NetworkLaw& law, const MeanField& field,
                                        const TrainabilityOptions& options) {
  const GaussianIntegrals activation(law.activation);
  Real rho = options.rho;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    rho = next_correlation(activation, law.blocks[l], field.blocks[l], rho);
    if (!(correlation_drift(rho, options.rho) <= options.range)) return static_cast<Index>(l);
  }
  return std::nullopt;
}

/// The last index before the first value beyond the range; nothing if there is none beyond.
std::optional<Index> within(const std::vector<Real>& drift, Real range) {
  for (std::size_t l = 0; l < drift.size(); ++l)
    if (!(drift[l] <= range)) return static_cast<Index>(l) - 1;
  return std::nullopt;
}

NetworkLaw first_blocks(const NetworkLaw& law, Index count) {
  NetworkLaw shorter = law;
  shorter.blocks.resize(
      static_cast<std::size_t>(std::min<Index>(count, static_cast<Index>(law.blocks.size()))));
  return shorter;
}

}  // namespace

std::vector<Real> correlations(const NetworkLaw& law, const MeanField& field, Real rho) {
  const GaussianIntegrals activation(law.activation);
  std::vector<Real> all = {rho};
  for (std::size_t l = 0; l < law.blocks.size(); ++l)
    all.push_back(next_correlation(activation, law.blocks[l], field.blocks[l], all.back()));
  return all;
}

TrainableDepth trainable_depth(const NetworkLaw& whole, const TrainabilityOptions& options) {
  require_range(options);
  const NetworkLaw law = first_blocks(whole, options.limit);
  const MeanField field = mean_field(law);
  TrainableDepth result;
  result.limit = static_cast<Index>(law.blocks.size());
  result.gradient = within(gradient_drift(field), options.range);
  result.correlation = correlation_within(law, field, options);
  return result;
}

TrainableDepth trainable_depth(const StackSpec& spec, const TrainabilityOptions& options) {
  require_range(options);
  TrainableDepth result;
  result.limit = options.limit;
  const Described described = describe(spec, options.limit);
  if (!described.law) {
    result.reason = described.reason;
    return result;
  }
  if (!spec.scheme.depends_on_depth()) return trainable_depth(*described.law, options);
  // Of the whole stack at each depth.
  const auto last_within = [&](auto drift_of) {
    const Index depth = detail::largest_holding(
        [&](Index L) {
          const Described at = describe(spec, L);
          if (!at.law) throw UsageError(at.reason);
          return drift_of(*at.law, mean_field(*at.law)) <= options.range;
        },
        options.limit);
    return depth == options.limit ? std::nullopt : std::optional<Index>(depth);
  };
  result.gradient =
      last_within([](const NetworkLaw&, const MeanField& field) { return gradient_drift(field).back(); });
  result.correlation = last_within([&](const NetworkLaw& law, const MeanField& field) {
    return correlation_drift(correlations(law, field, options.rho).back(), options.rho);
  });
  return result;
}

}  // namespace rezero::theory
