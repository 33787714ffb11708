#include "parts.h"
#include "rezero/model/geometry.h"

namespace rezero {

BranchKind branch_mlp() {
  BranchKind kind;
  kind.name = "mlp";
  kind.formula = "W2 phi(W1 x + b1) + b2";
  kind.summary = "two weight matrices around the nonlinearity";
  kind.source = "Vaswani et al. 2017 (arXiv 1706.03762), position-wise feed-forward";
  kind.weight_layers = 2;
  kind.uses_activation = kind.has_hidden = kind.has_inner_norm = true;
  kind.geometry = token_geometry;
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    return {{Role::up, n.hidden, n.features}, {Role::down, n.features, n.hidden}};
  };
  kind.build = [](const BranchInputs& in) -> Branch {
    LayerPtr up = branch_parts::weight(in, Role::up);
    LayerPtr act = branch_parts::activation(in, up->output_shape());
    return branch_parts::finish({std::move(up), std::move(act)}, in, Role::down);
  };
  return kind;
}

}  // namespace rezero
