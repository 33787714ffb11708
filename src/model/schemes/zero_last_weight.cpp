#include "parts.h"

namespace rezero {

Scheme scheme_zero_last_weight() {
  Scheme scheme;
  scheme.name = "zero-last-weight";
  scheme.aliases = {"zero-branch-output", "zero-conv"};
  scheme.update = "x' = x + F(x), last weight and bias 0";
  scheme.summary = "the branch's last weight and bias start at zero";
  scheme.source =
      "Zhang, Rao & Agrawala 2023 (arXiv 2302.05543); Goyal et al. 2017 (arXiv 1706.02677) with batch norm";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    scheme_parts::set_last(plan, at, {0, 0});
    return plan;
  };
  return scheme;
}

}  // namespace rezero
