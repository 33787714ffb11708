#include "parts.h"

namespace rezero {

Scheme scheme_dead() {
  Scheme scheme;
  scheme.name = "dead";
  scheme.update = "x' = x + 0 F(x), last weight and bias 0";
  scheme.summary = "gate and last weight both zero: the identity, and no gradient ever reaches the branch";
  scheme.source = "derived here";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan = scheme_parts::branch_scaled(0, ScaleRole::parameter);
    scheme_parts::set_last(plan, at, {0, 0});
    return plan;
  };
  return scheme;
}

}  // namespace rezero
