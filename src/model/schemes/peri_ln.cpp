#include "parts.h"

namespace rezero {

Scheme scheme_peri_ln() {
  Scheme scheme;
  scheme.name = "peri-ln", scheme.aliases = {"sandwich-ln"};
  scheme.update = "x' = x + N(F(N(x)))";
  scheme.summary = "a norm before and after the branch";
  scheme.source = "Kim et al. 2025 (arXiv 2502.02732); Ding et al. 2021 (CogView)";
  scheme.depth_symbol = "none";
  scheme.params = {scheme_parts::norm_param("layer")};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = plan.branch_norm = scheme_parts::chosen_norm(at);
    return plan;
  };
  return scheme;
}

}  // namespace rezero
