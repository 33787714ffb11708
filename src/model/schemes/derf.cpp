#include "parts.h"

namespace rezero {

Scheme scheme_derf() {
  Scheme scheme;
  scheme.name = "derf";
  scheme.update = "x' = x + F(erf(alpha x)), or x' = erf(alpha (x + F(x)))";
  scheme.summary = "erf in place of a norm";
  scheme.source = "arXiv 2512.10938 (2025)";
  scheme.depth_symbol = "none";
  scheme.params = {
      {"alpha", ParamKind::real, "0.5", "slope of the argument at initialization"},
      {"placement", ParamKind::choice, "pre", "before the branch or after the sum", {"pre", "post"}}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    NormSpec& norm = at.params->text("placement") == "pre" ? plan.pre_norm : plan.post_norm;
    norm = NormSpec::of("derf");
    norm.alpha = at.real("alpha");
    return plan;
  };
  return scheme;
}

}  // namespace rezero
