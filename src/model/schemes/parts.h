#pragma once
/// Building blocks of schemes.

#include <cmath>

#include "rezero/model/scheme.h"

namespace rezero::scheme_parts {

inline bool ignores_depth(const Params&) {
  return false;
}
inline bool uses_depth(const Params&) {
  return true;
}

inline BlockPlan branch_scaled(Real alpha, ScaleRole role) {
  BlockPlan plan;
  plan.branch_scale = Scale::number(alpha, role);
  return plan;
}

/// A trained number for every feature of the block's output, all equal.
inline Scale per_feature(const SchemeContext& at, Real value) {
  return {Vector::Constant(at.outputs, value), ScaleRole::parameter};
}

/// Sets the gain of the branch's last weight and of its bias.
inline void set_last(BlockPlan& plan, const SchemeContext& at, WeightGain gain) {
  plan.gains[at.last_role()] = gain;
}

/// c · L^−p, L the number of residual additions.
inline Real depth_power(Real c, Real p, Index total_blocks) {
  return c * std::pow(static_cast<Real>(total_blocks), -p);
}

/// The default layer norm (eps 1e-5) and RMS norm (eps 1e-6); weight 1, bias 0.
inline NormSpec layer_norm(Real eps = 1e-5) {
  return NormSpec::of("layer_norm", eps);
}
inline NormSpec rms_norm(Real eps = 1e-6) {
  return NormSpec::of("rms_norm", eps);
}

/// `norm=layer|rms`.
inline ParamInfo norm_param(std::string_view default_text) {
  return {"norm", ParamKind::choice, default_text, "kind of norm", {"layer", "rms"}};
}
inline NormSpec chosen_norm(const SchemeContext& at) {
  return at.params->text("norm") == "rms" ? rms_norm() : layer_norm();
}

/// Gain of the value path and the feed-forward matrices, on which depth-scaled initializations act. Biases
/// keep theirs.
inline void set_value_path(BlockPlan& plan, const SchemeContext& at, Real gain, Real bias_gain = 1) {
  for (const WeightSlot& slot : at.slots)
    if (slot.role != Role::query && slot.role != Role::key) plan.gains[slot.role] = {gain, bias_gain};
}

/// One fused (3d × d) xavier matrix for queries, keys and values has half the variance of three separate
/// ones. No effect if the base initializer draws them fused.
inline void fuse_attention_inputs(BlockPlan& plan, const SchemeContext& at) {
  if (at.fused_init) return;
  for (const WeightSlot& slot : at.slots)
    if (slot.role == Role::query || slot.role == Role::key || slot.role == Role::value)
      plan.gains[slot.role].weight *= std::sqrt(Real{0.5});
}

/// `part` and `other`: the position of a stack in an encoder-decoder, and the number of layers of the other
/// half (0: the same number).
inline Real layers(const SchemeContext& at) {
  return static_cast<Real>(at.total_layers);
}
inline Real other_layers(const SchemeContext& at) {
  const Real other = at.real("other");
  return other > 0 ? other : layers(at);
}
inline ParamInfo other_param() {
  return {"other", ParamKind::real, "0", "layers of the other half of an encoder-decoder; 0: as many", {}, 0};
}

/// A scheme with φ(alpha x) instead of a norm, before the branch or after the sum: dyt, derf.
struct PointwiseNormTexts {
  std::string_view name, update, summary, source;
};
inline Scheme pointwise_norm_scheme(const PointwiseNormTexts& texts,
                                    BlockPlan (*plan)(const SchemeContext&)) {
  Scheme scheme;
  scheme.name = texts.name, scheme.update = texts.update, scheme.summary = texts.summary;
  scheme.source = texts.source;
  scheme.depth_symbol = "none";
  scheme.params = {
      {"alpha", ParamKind::real, "0.5", "slope of the argument at initialization"},
      {"placement", ParamKind::choice, "pre", "before the branch or after the sum", {"pre", "post"}}};
  scheme.depends_on_depth = ignores_depth;
  scheme.plan = plan;
  return scheme;
}
inline BlockPlan pointwise_norm_plan(const SchemeContext& at, std::string_view norm) {
  BlockPlan plan;
  NormSpec& place = at.params->text("placement") == "pre" ? plan.pre_norm : plan.post_norm;
  place = NormSpec::of(norm);
  place.set("alpha", at.real("alpha"));
  return plan;
}

inline constexpr std::string_view transformer_init = "xavier:law=uniform";
inline constexpr std::string_view counts_layers = "N: layers of the stack";
inline constexpr std::string_view counts_blocks = "L: residual blocks (additions) of the stack";

}  // namespace rezero::scheme_parts
