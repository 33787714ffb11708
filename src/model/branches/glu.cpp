#include "parts.h"
#include "rezero/layers/gated.h"
#include "rezero/model/geometry.h"

namespace rezero {

BranchKind branch_glu() {
  BranchKind kind;
  kind.name = "glu";
  kind.formula = "W2 (phi(Wg x + bg) * (Wu x + bu)) + b2";
  kind.summary = "gated hidden layer, then a weight matrix (degree 2)";
  kind.source = "Shazeer 2020 (arXiv 2002.05202)";
  kind.degree = 2;
  kind.weight_layers = 2;
  kind.uses_activation = kind.has_hidden = kind.has_inner_norm = true;
  kind.geometry = token_geometry;
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    return {{Role::gate, n.hidden, n.features},
            {Role::up, n.hidden, n.features},
            {Role::down, n.features, n.hidden}};
  };
  kind.build = [](const BranchInputs& in) -> Branch {
    LayerPtr hidden = std::make_shared<GatedProduct>(branch_parts::weight(in, Role::gate),
                                                     branch_parts::weight(in, Role::up), in.activation);
    return branch_parts::finish({std::move(hidden)}, in, Role::down);
  };
  return kind;
}

}  // namespace rezero
