#include "parts.h"

namespace rezero {

Scheme scheme_gpt2() {
  Scheme scheme;
  scheme.name = "gpt2", scheme.aliases = {"gpt-2"};
  scheme.update = "x' = x + F(LN(x)), last weight times (2N)^-1/2";
  scheme.summary = "pre-norm with the branch's last weight scaled by the number of residual additions";
  scheme.source = "Radford et al. 2019 (GPT-2 report), section 2.3";
  scheme.depth_symbol = "2N: residual additions of the stack";
  scheme.params = {{"variant",
                    ParamKind::choice,
                    "report",
                    "released: the published model's code, without the scaling",
                    {"report", "released"}}};
  scheme.depends_on_depth = [](const Params& params) { return params.text("variant") == "report"; };
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::layer_norm();
    if (at.params->text("variant") == "report")
      scheme_parts::set_last(plan, at, {scheme_parts::depth_power(1, 0.5, at.total_blocks), 1});
    return plan;
  };
  scheme.init = "normal";
  return scheme;
}

}  // namespace rezero
