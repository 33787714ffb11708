#include "rezero/init/initializer.h"

#include <algorithm>

#include "init/laws.h"
#include "rezero/core/contract.h"

namespace rezero {
namespace {

using Preset = std::pair<std::string_view, std::string_view>;

const InitializerKind& kind_of(const std::string& name) {
  if (const InitializerKind* kind = initializers().find(name)) return *kind;
  std::vector<std::string_view> known, others;
  for (const InitializerKind& kind : initializers()) {
    known.push_back(kind.name);
    others.insert(others.end(), kind.aliases.begin(), kind.aliases.end());
  }
  for (const Preset& preset : initializer_presets()) others.push_back(preset.first);
  throw UsageError(unknown_name_message(initializers().kind(), name, known, others));
}

/// Adds the parameters that the preset fixes, unless they are defaults: `he-normal` is `he`.
void merge(NamedSpec& spec, const NamedSpec& preset, const std::string& written_name) {
  for (const auto& [name, value] : preset.params) {
    const auto same = [&, &param_name = name](const auto& param) { return param.first == param_name; };
    const auto written = std::find_if(spec.params.begin(), spec.params.end(), same);
    if (written != spec.params.end() && written->second != value)
      throw UsageError("initializer '" + written_name + "' has " + name + "=" + value + ", but '" + name +
                       "=" + printable(written->second) + "' was given: write '" + preset.name + ":" + name +
                       "=" + printable(written->second) + "' or leave it out");
    for (const ParamInfo& info : initializers().at(preset.name).params)
      if (info.name == name && info.default_text != value && written == spec.params.end())
        spec.params.emplace_back(name, value);
  }
}

NamedSpec expand_preset(const NamedSpec& spec) {
  for (const auto& [name, text] : initializer_presets()) {
    if (name != spec.name) continue;
    const NamedSpec preset = parse_named_spec(text);
    NamedSpec expanded = {preset.name, spec.params};
    merge(expanded, preset, spec.name);
    return expanded;
  }
  return spec;
}

void check_shape(const WeightContext& context) {
  REZERO_REQUIRE(context.out > 0 && context.in > 0 && context.taps % 2 == 1);
}

}  // namespace

const std::vector<Preset>& initializer_presets() {
  static const std::vector<Preset> presets = {
      {"he-normal", "he:law=normal"},         {"he-uniform", "he:law=uniform"},
      {"kaiming-normal", "he:law=normal"},    {"kaiming-uniform", "he:law=uniform"},
      {"xavier-normal", "xavier:law=normal"}, {"xavier-uniform", "xavier:law=uniform"},
      {"glorot-normal", "xavier:law=normal"}, {"glorot-uniform", "xavier:law=uniform"},
      {"lecun-normal", "lecun:law=normal"},   {"lecun-uniform", "lecun:law=uniform"},
  };
  return presets;
}

Initializer::Initializer(const NamedSpec& spec) {
  const NamedSpec expanded = expand_preset(spec);
  kind_ = &kind_of(expanded.name);
  params_ = resolve_params(expanded, kind_->params, "initializer '" + std::string(kind_->name) + "'");
}

Matrix Initializer::weight(const WeightContext& context, const StreamKey& key) const {
  check_shape(context);
  if (kind_->weight) return kind_->weight(context, params_, key);
  return detail::drawn(weight_law(context), context.rows(), context.cols(), key);
}

Vector Initializer::bias(const WeightContext& context, const StreamKey& key) const {
  check_shape(context);
  return detail::drawn(bias_law(context), context.out, 1, key);
}

EntryLaw Initializer::weight_law(const WeightContext& context) const {
  return kind_->law(context, params_);
}

EntryLaw Initializer::bias_law(const WeightContext& context) const {
  return has_bias() ? kind_->bias_law(context, params_) : EntryLaw();
}

bool Initializer::has_bias() const {
  if (!kind_->bias_law) return false;
  return !kind_->has_bias || kind_->has_bias(params_);
}

std::string Initializer::canonical() const {
  return canonical_spec(kind_->name, params_);
}

}  // namespace rezero
