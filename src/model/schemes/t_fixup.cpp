#include "parts.h"

namespace rezero {
namespace {

/// Encoder 0.67 N^(−1/4), decoder (9 N)^(−1/4) for values, outputs and feed-forward matrices; queries and
/// keys keep the fused xavier gain 1/√2.
BlockPlan plan(const SchemeContext& at) {
  const Real n = scheme_parts::layers(at);
  const bool decoder = at.params->text("part") == "decoder";
  const Real gain = decoder ? std::pow(9 * n, Real{-0.25}) : Real{0.67} * std::pow(n, Real{-0.25});
  BlockPlan result;
  scheme_parts::set_value_path(result, at, gain, 0);
  for (const WeightSlot& slot : at.slots)
    if (slot.role == Role::query || slot.role == Role::key)
      result.gains[slot.role] = {std::sqrt(Real{0.5}), 0};
  return result;
}

}  // namespace

Scheme scheme_t_fixup() {
  Scheme scheme;
  scheme.name = "t-fixup", scheme.aliases = {"tfixup"};
  scheme.update = "x' = x + F(x), value-path weights times 0.67 N^-1/4 (encoder) or (9N)^-1/4 (decoder)";
  scheme.summary = "no norm; values, outputs and feed-forward weights scaled by the number of layers";
  scheme.source = "Huang, Perez, Ba & Volkovs 2020 (ICML, PMLR 119)";
  scheme.depth_symbol = "N: layers of the encoder or decoder";
  scheme.params = {
      {"part", ParamKind::choice, "encoder", "encoder or decoder constants", {"encoder", "decoder"}}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = plan;
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
