#include "parts.h"

namespace rezero {

Scheme scheme_layernorm_scaling() {
  Scheme scheme;
  scheme.name = "layernorm-scaling", scheme.aliases = {"lns", "ln-scaling"};
  scheme.update = "x' = x + F(l^-1/2 RMS(x))";
  scheme.summary = "a pre-norm whose output falls with the layer's index";
  scheme.source = "Sun et al. 2025 (arXiv 2502.05795)";
  scheme.depth_symbol = "l: the layer's index from 1, the same for its blocks";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::rms_norm();
    const Real factor = 1 / std::sqrt(static_cast<Real>(at.layer + 1));
    plan.pre_norm.weight = std::make_shared<const Vector>(Vector::Constant(at.width, factor));
    return plan;
  };
  scheme.init = "normal";
  return scheme;
}

}  // namespace rezero
