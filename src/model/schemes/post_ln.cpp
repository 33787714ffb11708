#include "parts.h"

namespace rezero {

Scheme scheme_post_ln() {
  Scheme scheme;
  scheme.name = "post-ln", scheme.aliases = {"post-norm"};
  scheme.update = "x' = N(x + F(x))";
  scheme.summary = "a norm after the sum";
  scheme.source = "Vaswani et al. 2017 (arXiv 1706.03762); Xiong et al. 2020 (arXiv 2002.04745)";
  scheme.depth_symbol = "none";
  scheme.params = {scheme_parts::norm_param("layer")};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.post_norm = scheme_parts::chosen_norm(at);
    return plan;
  };
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
