#include "parts.h"

namespace rezero {

BranchKind branch_preactivation() {
  return {"preactivation",
          {},
          "W phi(x) + b",
          "the nonlinearity, then one weight matrix",
          "He et al. 2016 (arXiv 1603.05027)",
          1,
          1,
          true,
          false,
          [](Index features, Index) -> std::vector<WeightSlot> {
            return {{Role::linear, features, features, true}};
          },
          [](const Activation& phi, const BranchWeights& weights, Index positions) -> Branch {
            LayerPtr linear = branch_parts::weight(weights, Role::linear, positions);
            LayerPtr act = branch_parts::activation(phi, linear->input_shape());
            return {{std::move(act), std::move(linear)}, 1};
          }};
}

}  // namespace rezero
