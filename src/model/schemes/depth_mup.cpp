#include "parts.h"

namespace rezero {

Scheme scheme_depth_mup() {
  Scheme scheme;
  scheme.name = "depth-mup";
  scheme.update = "x' = x + c L^-p MS(F(x)), MS(z) = z - mean(z)";
  scheme.summary = "a 1/sqrt(L) branch scale on a branch whose mean over features is subtracted";
  scheme.source = "Yang et al. 2023 (arXiv 2310.02244)";
  scheme.depth_symbol = scheme_parts::counts_blocks;
  scheme.params = {{"c", ParamKind::real, "1", "branch scale at L = 1"},
                   {"p", ParamKind::real, "0.5", "power of the depth"}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan = scheme_parts::branch_scaled(
        scheme_parts::depth_power(at.real("c"), at.real("p"), at.total_blocks), ScaleRole::constant);
    plan.branch_norm.kind = &norms().at("mean_subtraction");
    return plan;
  };
  scheme.made_for = {"dense"};
  return scheme;
}

}  // namespace rezero
