#include "rezero/theory/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

/// The share k/q, and what 1 is in it, of a stream whose squared mean a norm may have removed.
Real removed(const BlockLaw& law, Real mean) {
  return law.centered ? mean * mean : 0;
}

/// One block, from two states of that cosine.
Correlation next_correlation(const GaussianIntegrals& activation, const BlockLaw& block,
                             const BlockState& state, Real cosine) {
  const Real q = state.square, mu = state.mean, k = cosine * q;  // in units of 2^exponent
  const bool before = block.norm == NormPlacement::before_branch;
  Real input = k, unit = static_cast<Real>(1);
  Real bias = shifted(block.bias, -state.exponent), bias2 = shifted(block.bias2, -state.exponent);
  if (before) {
    const Real divisor = q - removed(block, mu) + shifted(block.epsilon, -state.exponent);
    input = divisor > 0 ? (k - removed(block, mu)) / divisor : 0;
    unit = shifted(1, -state.exponent);
    bias = block.bias, bias2 = block.bias2;
  }
  const Real p = state.argument;
  const auto ratio = [p](Real covariance) { return p > 0 ? std::clamp<Real>(covariance / p, -1, 1) : 0; };
  Real branch = 0;
  switch (block.form) {
    case BranchForm::linear:
      branch = block.weight * input + bias;
      break;
    case BranchForm::dense:
      branch = activation.product(p, p, ratio(block.weight * input + bias));
      break;
    case BranchForm::preactivation:
      branch = block.weight * activation.product(p, p, ratio(input)) + bias;
      break;
    case BranchForm::mlp:
      branch = block.weight2 * activation.product(p, p, ratio(block.weight * input + bias)) + bias2;
      break;
  }
  branch *= unit;
  const Real l2 = block.skip * block.skip, a2 = block.scale * block.scale;
  const Real cross = 2 * block.skip * block.scale * mu * state.branch_mean;
  Real square = l2 * q + cross + a2 * state.branch_square, covariance = l2 * k + cross + a2 * branch;
  // d k′/d k at k = q: λ² + α²χ, as for the derivative of J, times q/q′.
  Real slope = l2 + (block.off() ? 0 : a2 * state.branch_slope);
  slope *= q;
  if (block.norm == NormPlacement::after_sum) {
    const Real mean = block.skip * mu + block.scale * state.branch_mean;
    square -= removed(block, mean), covariance -= removed(block, mean);
  }
  Correlation next;
  next.cosine = square > 0 ? std::clamp<Real>(covariance / square, -1, 1) : 1;
  next.slope = square > 0 ? slope / square : 0;
  cosine = next.cosine;
  return next;
}

}  // namespace

std::vector<Correlation> correlations(const NetworkLaw& law, const MeanField& field, Real cosine) {
  if (!(std::abs(cosine) <= 1))
    throw UsageError("a cosine of " + std::to_string(cosine) + " (it must lie in [-1, 1])");
  const GaussianIntegrals activation(law.activation);
  std::vector<Correlation> states = {{cosine, 1}};
  for (std::size_t l = 0; l < law.blocks.size(); ++l)
    states.push_back(next_correlation(activation, law.blocks[l], field.blocks[l], states.back().cosine));
  return states;
}

}  // namespace rezero::theory
