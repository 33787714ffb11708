#include "parts.h"

namespace rezero {

Scheme scheme_normalized_sum() {
  Scheme scheme;
  scheme.name = "normalized-sum";
  scheme.update = "x' = (x + F(x)) / sqrt(2)";
  scheme.summary = "skip and branch weighted so that variances average";
  scheme.source = "Balduzzi et al. 2017 (arXiv 1702.08591)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) {
    BlockPlan plan = scheme_parts::branch_scaled(std::sqrt(Real{0.5}), ScaleRole::constant);
    plan.skip_scale = plan.branch_scale;
    return plan;
  };
  return scheme;
}

}  // namespace rezero
