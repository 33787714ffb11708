#include "parts.h"

namespace rezero {
namespace {

/// Last weight zero, and the m − 1 layers before it times L^(−1/(2m−2)); Fixup's biases are scalars that
/// start at zero. Over tokens, its code draws queries, keys and values as one fused xavier matrix.
BlockPlan plan(const SchemeContext& at) {
  const auto m = static_cast<Real>(at.weight_layers());
  BlockPlan result = scheme_parts::branch_scaled(1, ScaleRole::parameter);
  for (const WeightSlot& slot : at.slots)
    result.gains[slot.role] = {
        slot.role == at.last_role() ? 0 : scheme_parts::depth_power(1, 1 / (2 * m - 2), at.total_blocks), 0};
  scheme_parts::fuse_attention_inputs(result, at);
  return result;
}

}  // namespace

Scheme scheme_fixup() {
  Scheme scheme;
  scheme.name = "fixup";
  scheme.update = "x' = x + F(x), last weight 0, others times L^(-1/(2m-2))";
  scheme.summary =
      "zero last weight, inner weights scaled by the number of branches L and of weight layers m, zero "
      "biases";
  scheme.source = "Zhang, Dauphin & Ma 2019 (arXiv 1901.09321)";
  scheme.depth_symbol = "L: residual branches of the stack; m: weight layers of one";
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = plan;
  scheme.init = scheme_parts::transformer_init;
  scheme.conv.init = "he:mode=fan_out";
  return scheme;
}

}  // namespace rezero
