#include "parts.h"

namespace rezero {

Scheme scheme_gated() {
  Scheme scheme;
  scheme.name = "gated";
  scheme.aliases = {"gated-resnet"};
  scheme.update = "x' = (1 - a) x + a F(x)";
  scheme.summary = "one learned gate moves from skip to branch";
  scheme.source = "Savarese 2016 (arXiv 1611.01260)";
  scheme.depth_symbol = "none";
  scheme.params = {{"a", ParamKind::real, "0", "gate at initialization; 0 is the identity"}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan = scheme_parts::branch_scaled(at.real("a"), ScaleRole::parameter);
    plan.mix = MixRule::gated;
    return plan;
  };
  return scheme;
}

}  // namespace rezero
