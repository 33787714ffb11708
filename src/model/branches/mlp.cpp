#include "parts.h"

namespace rezero {

BranchKind branch_mlp() {
  return {"mlp",
          {},
          "W2 phi(W1 x + b1) + b2",
          "two weight matrices around the nonlinearity",
          "Vaswani et al. 2017 (arXiv 1706.03762), position-wise feed-forward",
          1,
          2,
          true,
          true,
          [](Index features, Index hidden) -> std::vector<WeightSlot> {
            return {{Role::up, hidden, features, false}, {Role::down, features, hidden, true}};
          },
          [](const Activation& phi, const BranchWeights& weights, Index positions) -> Branch {
            LayerPtr up = branch_parts::weight(weights, Role::up, positions);
            LayerPtr act = branch_parts::activation(phi, up->output_shape());
            return {{std::move(up), std::move(act), branch_parts::weight(weights, Role::down, positions)}, 2};
          }};
}

}  // namespace rezero
