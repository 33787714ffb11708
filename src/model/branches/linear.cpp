#include "parts.h"

namespace rezero {

BranchKind branch_linear() {
  return {"linear",
          {},
          "W x + b",
          "one weight matrix, no nonlinearity",
          "Saxe et al. 2014",
          1,
          1,
          false,
          false,
          [](Index features, Index) -> std::vector<WeightSlot> {
            return {{Role::linear, features, features, true}};
          },
          [](const Activation&, const BranchWeights& weights, Index positions) -> Branch {
            return {{branch_parts::weight(weights, Role::linear, positions)}, 0};
          }};
}

}  // namespace rezero
