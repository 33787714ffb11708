#pragma once
/// Building blocks of branch kinds.

#include "rezero/model/branch.h"

namespace rezero::branch_parts {

inline LayerPtr weight(const BranchInputs& in, Role role) {
  const WeightPair& pair = in.weights.at(role);
  return std::make_shared<Linear>(pair.weight, pair.bias, in.positions);
}

inline LayerPtr activation(const BranchInputs& in, Shape shape) {
  return std::make_shared<ActivationLayer>(in.activation, shape);
}

/// The end of a branch: the inner norm, if any, and the last matrix.
inline Branch finish(std::vector<LayerPtr> stages, const BranchInputs& in, Role last) {
  if (in.inner_norm) stages.push_back(in.inner_norm.layer(stages.back()->output_shape()));
  stages.push_back(weight(in, last));
  const std::size_t at = stages.size() - 1;
  return {std::move(stages), at, 0};
}

}  // namespace rezero::branch_parts
