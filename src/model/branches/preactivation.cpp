#include "parts.h"

namespace rezero {

BranchKind branch_preactivation() {
  BranchKind kind;
  kind.name = "preactivation";
  kind.formula = "W phi(x) + b";
  kind.summary = "the nonlinearity, then one weight matrix";
  kind.source = "He et al. 2016 (arXiv 1603.05027)";
  kind.uses_activation = true;
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    return {{Role::linear, n.features, n.features}};
  };
  kind.build = [](const BranchInputs& in) -> Branch {
    LayerPtr linear = branch_parts::weight(in, Role::linear);
    LayerPtr act = branch_parts::activation(in, linear->input_shape());
    return {{std::move(act), std::move(linear)}, 1, 1};
  };
  return kind;
}

}  // namespace rezero
