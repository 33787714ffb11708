#include "parts.h"

namespace rezero {
namespace {

/// uniform: L^(−1/2). decreasing: 1 / (√l ln(l + 1)) for block l counted from 1, which is square-summable.
Real lambda(const SchemeContext& at) {
  if (at.params->text("variant") == "uniform") return scheme_parts::depth_power(1, 0.5, at.total_blocks);
  const auto l = static_cast<Real>(at.block + 1);
  return 1 / (std::sqrt(l) * std::log(l + 1));
}

}  // namespace

Scheme scheme_stable_resnet() {
  Scheme scheme;
  scheme.name = "stable-resnet";
  scheme.update = "x' = x + lambda_l F(x)";
  scheme.summary = "branch scales whose squares have a bounded sum at any depth";
  scheme.source = "Hayou et al. 2021 (arXiv 2010.12859)";
  scheme.depth_symbol = "uniform: L, residual blocks of the stack; decreasing: l, the block's index from 1";
  scheme.params = {{"variant",
                    ParamKind::choice,
                    "uniform",
                    "uniform: L^(-1/2); decreasing: 1/(sqrt(l) ln(l+1))",
                    {"uniform", "decreasing"}}};
  scheme.depends_on_depth = [](const Params& params) { return params.text("variant") == "uniform"; };
  scheme.plan = [](const SchemeContext& at) {
    return scheme_parts::branch_scaled(lambda(at), ScaleRole::constant);
  };
  return scheme;
}

}  // namespace rezero
