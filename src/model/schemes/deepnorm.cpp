#include "parts.h"

namespace rezero {
namespace {

struct Constants {
  Real alpha, beta;
};

/// The paper's table: encoder-only and decoder-only (2N)^(1/4), (8N)^(−1/4); encoder of N layers with a
/// decoder of M layers 0.81 (N⁴M)^(1/16), 0.87 (N⁴M)^(−1/16); its decoder (3M)^(1/4), (12M)^(−1/4).
/// torchscale has 1.15 instead of 0.87.
Constants constants(const SchemeContext& at) {
  const Real n = scheme_parts::layers(at);
  const std::string& part = at.params->text("part");
  if (part == "single") return {std::pow(2 * n, Real{0.25}), std::pow(8 * n, Real{-0.25})};
  if (part == "enc-dec-decoder") return {std::pow(3 * n, Real{0.25}), std::pow(12 * n, Real{-0.25})};
  const Real product = std::pow(std::pow(n, 4) * scheme_parts::other_layers(at), Real{1} / 16);
  const bool paper = at.params->text("variant") == "paper";
  return {Real{0.81} * product, (paper ? Real{0.87} : Real{1.15}) / product};
}

BlockPlan plan(const SchemeContext& at) {
  const Constants c = constants(at);
  BlockPlan result;
  result.post_norm = scheme_parts::layer_norm();
  result.skip_scale = Scale::number(c.alpha);
  scheme_parts::set_value_path(result, at, c.beta, at.params->text("variant") == "paper" ? 1 : c.beta);
  return result;
}

}  // namespace

Scheme scheme_deepnorm() {
  Scheme scheme;
  scheme.name = "deepnorm";
  scheme.update = "x' = LN(alpha x + F(x)), value-path weights times beta";
  scheme.summary = "a constant skip scale above 1 and smaller weights, both from the number of layers";
  scheme.source = "Wang et al. 2022 (arXiv 2203.00555)";
  scheme.depth_symbol = "N: layers of the stack; M: of the other half";
  scheme.params = {{"part",
                    ParamKind::choice,
                    "single",
                    "encoder-only or decoder-only, or a half of both",
                    {"single", "enc-dec-encoder", "enc-dec-decoder"}},
                   scheme_parts::other_param(),
                   {"variant",
                    ParamKind::choice,
                    "paper",
                    "torchscale: 1.15 instead of 0.87, and scaled biases",
                    {"paper", "torchscale"}}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = plan;
  scheme.init = "xavier";
  return scheme;
}

}  // namespace rezero
