#include "parts.h"

namespace rezero {

Scheme scheme_normformer() {
  Scheme scheme;
  scheme.name = "normformer";
  scheme.update = "x' = x + LN(Attn(LN(x))); x' = x + W2 LN(phi(W1 LN(x)))";
  scheme.summary = "pre-norm, with a norm after attention and one before the last feed-forward matrix";
  scheme.source = "Shleifer, Weston & Ott 2021 (arXiv 2110.09456)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::layer_norm();
    (at.branch->is_attention ? plan.branch_norm : plan.inner_norm) = scheme_parts::layer_norm();
    return plan;
  };
  scheme.made_for = {"transformer", "glu-transformer", "attention", "mlp", "glu"};
  return scheme;
}

}  // namespace rezero
