#include "parts.h"

namespace rezero {
namespace {

/// √ln(2N) alone; with a decoder of M layers the encoder's √(ln(3M) ln(2N)/3), and that decoder's √ln(3M).
Real gain(const SchemeContext& at) {
  const Real n = scheme_parts::layers(at);
  const std::string& part = at.params->text("part");
  if (part == "single") return std::sqrt(std::log(2 * n));
  if (part == "enc-dec-decoder") return std::sqrt(std::log(3 * n));
  return std::sqrt(std::log(3 * scheme_parts::other_layers(at)) * std::log(2 * n) / 3);
}

}  // namespace

Scheme scheme_sub_ln() {
  Scheme scheme;
  scheme.name = "sub-ln", scheme.aliases = {"magneto"};
  scheme.update = "x' = x + W LN(G(LN(x))), value-path weights times sqrt(ln 2N)";
  scheme.summary = "pre-norm with a second norm before each last matrix, and larger weights";
  scheme.source = "Wang et al. 2022 (arXiv 2210.06423)";
  scheme.depth_symbol = "N: layers of the stack; M: of the other half";
  scheme.params = {{"part",
                    ParamKind::choice,
                    "single",
                    "encoder-only or decoder-only, or a half of both",
                    {"single", "enc-dec-encoder", "enc-dec-decoder"}},
                   scheme_parts::other_param()};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    plan.pre_norm = plan.inner_norm = scheme_parts::layer_norm();
    scheme_parts::set_value_path(plan, at, gain(at), gain(at));
    return plan;
  };
  scheme.made_for = {"transformer", "glu-transformer", "attention", "mlp", "glu"};
  scheme.init = "torch-default";
  return scheme;
}

}  // namespace rezero
