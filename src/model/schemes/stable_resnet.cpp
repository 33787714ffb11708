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
  return {
      "stable-resnet",
      {},
      "x' = x + lambda_l F(x)",
      "branch scales whose squares have a bounded sum at any depth",
      "Hayou et al. 2021 (arXiv 2010.12859)",
      "uniform: L, residual blocks of the stack; decreasing: l, the block's index from 1",
      {{"variant",
        ParamKind::choice,
        "uniform",
        "uniform: L^(-1/2); decreasing: 1/(sqrt(l) ln(l+1))",
        {"uniform", "decreasing"}}},
      [](const Params& params) { return params.text("variant") == "uniform"; },
      [](const SchemeContext& at) { return scheme_parts::branch_scaled(lambda(at), ScaleRole::constant); }};
}

}  // namespace rezero
