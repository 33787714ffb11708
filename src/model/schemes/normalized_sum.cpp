#include "parts.h"

namespace rezero {

Scheme scheme_normalized_sum() {
  return {"normalized-sum",
          {},
          "x' = (x + F(x)) / sqrt(2)",
          "skip and branch weighted so that variances average",
          "Balduzzi et al. 2017 (arXiv 1702.08591)",
          "none",
          {},
          scheme_parts::ignores_depth,
          [](const SchemeContext&) {
            BlockPlan plan = scheme_parts::branch_scaled(std::sqrt(Real{0.5}), ScaleRole::constant);
            plan.skip_scale = plan.branch_scale;
            return plan;
          }};
}

}  // namespace rezero
