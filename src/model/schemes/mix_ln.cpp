#include "parts.h"

namespace rezero {

Scheme scheme_mix_ln() {
  Scheme scheme;
  scheme.name = "mix-ln";
  scheme.update = "x' = RMS(x + F(x)) in the first floor(ratio N) layers, x' = x + F(RMS(x)) in the rest";
  scheme.summary = "post-norm below, pre-norm above";
  scheme.source = "Li, Yin & Liu 2024 (arXiv 2412.13795)";
  scheme.depth_symbol = scheme_parts::counts_layers;
  scheme.params = {{"ratio", ParamKind::real, "0.25", "share of layers that are post-norm", {}, 0, 1}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = [](const SchemeContext& at) {
    constexpr Real slack = 1e-9;  // 0.29 · 100 is 28.999…96 in doubles
    const bool post =
        static_cast<Real>(at.layer) < std::floor(at.real("ratio") * scheme_parts::layers(at) + slack);
    BlockPlan plan;
    (post ? plan.post_norm : plan.pre_norm) = scheme_parts::rms_norm();
    return plan;
  };
  scheme.init = "normal";
  return scheme;
}

}  // namespace rezero
