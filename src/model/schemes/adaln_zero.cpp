#include "parts.h"

namespace rezero {

Scheme scheme_adaln_zero() {
  Scheme scheme;
  scheme.name = "adaln-zero";
  scheme.update = "x' = x + g F(LN(x) (1 + s) + t), g = s = t = 0";
  scheme.summary = "gates, scales and shifts from a conditioning layer, all zero at initialization";
  scheme.source = "Peebles & Xie 2023 (arXiv 2212.09748)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) {
    BlockPlan plan = scheme_parts::branch_scaled(0, ScaleRole::parameter);
    plan.pre_norm = scheme_parts::layer_norm(1e-6);
    return plan;
  };
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
