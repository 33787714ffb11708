#include "parts.h"

namespace rezero {
namespace {

/// 0.1 up to 18 layers, 1e-5 up to 24, 1e-6 beyond.
Real epsilon(const SchemeContext& at) {
  if (at.params->text("epsilon") != "depth") return at.real("epsilon");
  if (at.total_layers <= 18) return 0.1;
  return at.total_layers <= 24 ? 1e-5 : 1e-6;
}

}  // namespace

Scheme scheme_layerscale() {
  Scheme scheme;
  scheme.name = "layerscale", scheme.aliases = {"layer-scale"};
  scheme.update = "x' = x + diag(e) F(LN(x))";
  scheme.summary = "a small trained scale per feature behind a pre-norm branch";
  scheme.source = "Touvron et al. 2021 (arXiv 2103.17239)";
  scheme.depth_symbol = "layers of the whole network (picks epsilon)";
  scheme.params = {{"epsilon",
                    ParamKind::real_or_choice,
                    "depth",
                    "start of e; depth: 0.1 up to 18 layers, 1e-5 up to 24, 1e-6 beyond",
                    {"depth"}}};
  scheme.depends_on_depth = [](const Params& params) { return params.text("epsilon") == "depth"; };
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::layer_norm(1e-6);
    plan.branch_scale = scheme_parts::per_feature(at, epsilon(at));
    return plan;
  };
  scheme.init = "trunc-normal";
  return scheme;
}

}  // namespace rezero
