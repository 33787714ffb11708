#include "parts.h"

namespace rezero {

BranchKind branch_linear() {
  BranchKind kind;
  kind.name = "linear";
  kind.formula = "W x + b";
  kind.summary = "one weight matrix, no nonlinearity";
  kind.source = "Saxe et al. 2014";
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    return {{Role::linear, n.features, n.features}};
  };
  kind.build = [](const BranchInputs& in) -> Branch { return {{branch_parts::weight(in, Role::linear)}, 0}; };
  return kind;
}

}  // namespace rezero
