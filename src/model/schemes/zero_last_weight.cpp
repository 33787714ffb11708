#include "parts.h"

namespace rezero {

Scheme scheme_zero_last_weight() {
  return {
      "zero-last-weight",
      {"zero-branch-output", "zero-conv"},
      "x' = x + F(x), last weight and bias 0",
      "the branch's last weight and bias start at zero",
      "Zhang, Rao & Agrawala 2023 (arXiv 2302.05543); Goyal et al. 2017 (arXiv 1706.02677) with batch norm",
      "none",
      {},
      scheme_parts::ignores_depth,
      [](const SchemeContext& at) {
        BlockPlan plan;
        scheme_parts::set_last(plan, at, {0, 0});
        return plan;
      }};
}

}  // namespace rezero
