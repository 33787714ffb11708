#pragma once
/// How deep a stack can be before gradients and the correlation of inputs leave a range.

#include <optional>
#include <string>

#include "rezero/model/stack_spec.h"
#include "rezero/theory/network_law.h"

namespace rezero::theory {

struct TrainabilityOptions {
  Real range = 1;     ///< k: within e^(±k)
  Real rho = 0.9;     ///< correlation of two inputs at depth 0; close to 1, both phases change 1 − ρ
  Index limit = 256;  ///< largest depth looked at
};

/// Largest depths up to which a quantity stays within its range; no number: at least the limit.
struct TrainableDepth {
  std::optional<Index> gradient;  ///< |log √m1| ≤ k: the norm of a random gradient, last layer to first
  std::optional<Index> correlation;  ///< |log (1 − ρ_L)/(1 − ρ_0)| ≤ k: the squared distance of two inputs
  Index limit = 0;
  std::string reason;  ///< why there is no theory; then both are empty
};

/// Of `spec` at any depth, by mean_square of moments.h and the cosines of correlation.h. If blocks do not
/// depend on the total depth, the first block at which the range is left decides. Otherwise depths double
/// until the range is left, and the largest depth within it is found by bisection. UsageError for options out
/// of range.
TrainableDepth trainable_depth(const StackSpec& spec, const TrainabilityOptions& options = {});

/// Of the first blocks of one law.
TrainableDepth trainable_depth(const NetworkLaw& law, const TrainabilityOptions& options = {});

}  // namespace rezero::theory
