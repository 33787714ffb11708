#include "parts.h"

namespace rezero {

Scheme scheme_branchnorm() {
  Scheme scheme;
  scheme.name = "branchnorm";
  scheme.update = "x' = LN(x + a_t F(x)), a_t = min(1, t/horizon)";
  scheme.summary = "post-norm whose branch is switched on over the first training steps";
  scheme.source = "Liu et al. 2023 (arXiv 2305.02790)";
  scheme.depth_symbol = "none";
  scheme.params = {{"t", ParamKind::real, "0", "training step; 0 is initialization", {}, 0},
                   {"horizon", ParamKind::real, "1", "step from which the branch is fully on", {}, 1e-300}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan = scheme_parts::branch_scaled(std::min<Real>(1, at.real("t") / at.real("horizon")),
                                                 ScaleRole::constant);
    plan.post_norm = scheme_parts::layer_norm();
    return plan;
  };
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
