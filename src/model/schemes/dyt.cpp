#include "parts.h"

namespace rezero {

Scheme scheme_dyt() {
  Scheme scheme;
  scheme.name = "dyt";
  scheme.update = "x' = x + F(tanh(alpha x)), or x' = tanh(alpha (x + F(x)))";
  scheme.summary = "tanh in place of a norm";
  scheme.source = "Zhu et al. 2025 (arXiv 2503.10622)";
  scheme.depth_symbol = "none";
  scheme.params = {
      {"alpha", ParamKind::real, "0.5", "slope of the argument at initialization"},
      {"placement", ParamKind::choice, "pre", "before the branch or after the sum", {"pre", "post"}}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    NormSpec& norm = at.params->text("placement") == "pre" ? plan.pre_norm : plan.post_norm;
    norm = NormSpec::of("dynamic_tanh");
    norm.alpha = at.real("alpha");
    return plan;
  };
  return scheme;
}

}  // namespace rezero
