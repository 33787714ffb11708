#include "parts.h"

namespace rezero {
namespace {

/// h' = n((1 − a) h + a n(F(h))) for unit h, n(·) = ·/‖·‖₂: rows along the embedding axis have unit norm,
/// queries and keys are normalized per head and multiplied by √(head width), and gate and up of the
/// feed-forward branch by √d.
BlockPlan plan(const SchemeContext& at) {
  BlockPlan result;
  result.branch_norm = result.post_norm = NormSpec::of("l2_norm");
  result.branch_scale = scheme_parts::per_feature(at, at.real("a"));
  result.mix = MixRule::gated;
  for (const WeightSlot& slot : at.slots) {
    WeightGain gain;
    gain.unit = slot.role == at.last_role() ? UnitNorm::columns : UnitNorm::rows;
    if (slot.role == Role::gate || slot.role == Role::up)
      gain.weight = std::sqrt(static_cast<Real>(at.width));
    result.gains[slot.role] = gain;
  }
  if (at.branch->is_attention) {
    result.qk_norm = NormSpec::of("l2_norm");
    result.attention_scale = std::sqrt(static_cast<Real>(at.width / at.heads));
  }
  return result;
}

}  // namespace

Scheme scheme_ngpt() {
  Scheme scheme;
  scheme.name = "ngpt";
  scheme.update = "h' = n(h + a (n(F(h)) - h)), n(x) = x / ||x||";
  scheme.summary = "states, branches and weights on the unit sphere; the input is normalized too";
  scheme.source = "Loshchilov et al. 2024 (arXiv 2410.01131)";
  scheme.depth_symbol = "none";
  scheme.params = {{"a", ParamKind::real, "0.05", "step towards the branch, trained per feature"}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = plan;
  scheme.init = "normal";
  scheme.unit_input = true;
  return scheme;
}

}  // namespace rezero
