#include "parts.h"

namespace rezero {

BranchKind branch_dense() {
  return {"dense",
          {},
          "phi(W x + b)",
          "one weight matrix, then the nonlinearity",
          "Bachlechner et al. 2020 (arXiv 2003.04887), section 5.1; Tarnowski et al. 2019 (arXiv 1809.08848)",
          1,
          1,
          true,
          false,
          [](Index features, Index) -> std::vector<WeightSlot> {
            return {{Role::linear, features, features, true}};
          },
          [](const Activation& phi, const BranchWeights& weights, Index positions) -> Branch {
            LayerPtr linear = branch_parts::weight(weights, Role::linear, positions);
            LayerPtr act = branch_parts::activation(phi, linear->output_shape());
            return {{std::move(linear), std::move(act)}, 0};
          }};
}

}  // namespace rezero
