#include "parts.h"

namespace rezero {
namespace {

/// code: r ← 1, and per block ω := r, then r := √(ω² Var[x] + Var[F(x)]). paper: ω_i = √Σ_{j<i} Var[F_j],
/// measured with all ω = 1, so that ω_1 = 0. Without measurements: 1.
Real omega(const SchemeContext& at) {
  const bool paper = at.params->text("form") == "paper";
  if (!at.profile || (paper && at.measuring)) return 1;
  ScaledReal square = ScaledReal::make(paper ? 0 : 1);
  for (Index j = 0; j < at.block; ++j) {
    const BlockProfile& before = (*at.profile)[static_cast<std::size_t>(j)];
    square = (paper ? square : square * before.input_variance) + before.branch_variance;
  }
  return sqrt(square).nearest();
}

BlockPlan plan(const SchemeContext& at) {
  BlockPlan result;
  result.post_norm = scheme_parts::layer_norm();
  result.skip_scale = scheme_parts::per_feature(at, omega(at));
  scheme_parts::fuse_attention_inputs(result, at);
  return result;
}

}  // namespace

Scheme scheme_admin() {
  Scheme scheme;
  scheme.name = "admin";
  scheme.update = "x' = LN(omega_l x + F(x)), omega from the variances of a first pass";
  scheme.summary = "a trained skip scale per feature, set from a profile of the analyzed weights";
  scheme.source = "Liu et al. 2020 (arXiv 2004.08249)";
  scheme.depth_symbol = "none: a block depends on those before it";
  scheme.params = {{"form",
                    ParamKind::choice,
                    "code",
                    "code: one running variance, omega_1 = 1; paper: sum of branch variances, omega_1 = 0",
                    {"code", "paper"}}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = plan;
  scheme.init = scheme_parts::transformer_init;
  scheme.needs_profile = true;
  return scheme;
}

}  // namespace rezero
