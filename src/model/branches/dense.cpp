#include "parts.h"

namespace rezero {

BranchKind branch_dense() {
  BranchKind kind;
  kind.name = "dense";
  kind.formula = "phi(W x + b)";
  kind.summary = "one weight matrix, then the nonlinearity";
  kind.source =
      "Bachlechner et al. 2020 (arXiv 2003.04887), section 5.1; Tarnowski et al. 2019 (arXiv 1809.08848)";
  kind.uses_activation = kind.ends_in_activation = true;
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    return {{Role::linear, n.features, n.features}};
  };
  kind.build = [](const BranchInputs& in) -> Branch {
    LayerPtr linear = branch_parts::weight(in, Role::linear);
    LayerPtr act = branch_parts::activation(in, linear->output_shape());
    return {{std::move(linear), std::move(act)}, 0, 0};
  };
  return kind;
}

}  // namespace rezero
