#pragma once
/// What branch kinds are put together from.

#include "rezero/model/branch.h"

namespace rezero::branch_parts {

inline LayerPtr weight(const BranchWeights& weights, Role role, Index positions) {
  const WeightPair& pair = weights.at(role);
  return std::make_shared<Linear>(pair.weight, pair.bias, positions);
}

inline LayerPtr activation(const Activation& phi, Shape shape) {
  return std::make_shared<ActivationLayer>(phi, shape);
}

}  // namespace rezero::branch_parts
