#include "parts.h"

namespace rezero {

Scheme scheme_output_norm() {
  Scheme scheme;
  scheme.name = "output-norm";
  scheme.update = "x' = x + N(F(x))";
  scheme.summary = "a norm only after the branch";
  scheme.source = "Bachlechner et al. 2021 (arXiv 2003.04887), section 5.3 (there: GPT2-Norm)";
  scheme.depth_symbol = "none";
  scheme.params = {scheme_parts::norm_param("layer")};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.branch_norm = scheme_parts::chosen_norm(at);
    return plan;
  };
  return scheme;
}

}  // namespace rezero
