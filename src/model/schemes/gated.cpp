#include "parts.h"

namespace rezero {

Scheme scheme_gated() {
  return {"gated",
          {"gated-resnet"},
          "x' = (1 - a) x + a F(x)",
          "one learned gate moves from skip to branch",
          "Savarese 2016 (arXiv 1611.01260)",
          "none",
          {{"a", ParamKind::real, "0", "gate at initialization; 0 is the identity"}},
          scheme_parts::ignores_depth,
          [](const SchemeContext& at) {
            BlockPlan plan = scheme_parts::branch_scaled(at.real("a"), ScaleRole::parameter);
            plan.mix = MixRule::gated;
            return plan;
          }};
}

}  // namespace rezero
