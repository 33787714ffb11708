#include "parts.h"

namespace rezero {

Scheme scheme_pre_ln() {
  Scheme scheme;
  scheme.name = "pre-ln", scheme.aliases = {"pre-norm"};
  scheme.update = "x' = x + F(LN(x))";
  scheme.summary = "a layer norm before the branch (its source adds one after the stack: --final-norm)";
  scheme.source = "Xiong et al. 2020 (arXiv 2002.04745)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::layer_norm();
    return plan;
  };
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
