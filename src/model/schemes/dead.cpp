#include "parts.h"

namespace rezero {

Scheme scheme_dead() {
  return {"dead",
          {},
          "x' = x + 0 F(x), last weight and bias 0",
          "gate and last weight both zero: the identity, and no gradient ever reaches the branch",
          "derived here",
          "none",
          {},
          scheme_parts::ignores_depth,
          [](const SchemeContext& at) {
            BlockPlan plan = scheme_parts::branch_scaled(0, ScaleRole::parameter);
            scheme_parts::set_last(plan, at, {0, 0});
            return plan;
          }};
}

}  // namespace rezero
