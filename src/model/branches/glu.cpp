#include "parts.h"
#include "rezero/layers/gated.h"

namespace rezero {

BranchKind branch_glu() {
  return {"glu",
          {},
          "W2 (phi(Wg x + bg) * (Wu x + bu)) + b2",
          "gated hidden layer, then a weight matrix (degree 2)",
          "Shazeer 2020 (arXiv 2002.05202)",
          2,
          2,
          true,
          true,
          [](Index features, Index hidden) -> std::vector<WeightSlot> {
            return {{Role::gate, hidden, features, false},
                    {Role::up, hidden, features, false},
                    {Role::down, features, hidden, true}};
          },
          [](const Activation& phi, const BranchWeights& weights, Index positions) -> Branch {
            LayerPtr hidden =
                std::make_shared<GatedProduct>(branch_parts::weight(weights, Role::gate, positions),
                                               branch_parts::weight(weights, Role::up, positions), phi);
            return {{std::move(hidden), branch_parts::weight(weights, Role::down, positions)}, 1};
          }};
}

}  // namespace rezero
