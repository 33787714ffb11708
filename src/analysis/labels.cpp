#include "rezero/analysis/labels.h"

#include "rezero/core/text.h"

namespace rezero {
namespace {

LabelValue text(const std::string& value) {
  return value.empty() ? LabelValue{} : value;
}
LabelValue size(Index value) {
  return value > 0 ? LabelValue{value} : LabelValue{};
}
LabelValue place(const std::optional<Index>& value) {
  return value ? LabelValue{*value} : LabelValue{};
}
LabelValue scheme(const CellLabels& of) {
  return of.scheme ? LabelValue{of.scheme->canonical()} : LabelValue{};
}
LabelValue scheme_params(const CellLabels& of) {
  return of.scheme ? LabelValue{&of.scheme->params()} : LabelValue{};
}
LabelValue activation_params(const CellLabels& of) {
  return of.activation.empty() ? LabelValue{} : LabelValue{&of.activation_params};
}
LabelValue init_params(const CellLabels& of) {
  return of.init.empty() ? LabelValue{} : LabelValue{&of.init_params};
}

}  // namespace

const std::vector<Label>& labels() {
  using Of = const CellLabels&;
  static const std::vector<Label> all = {
      {"scheme", LabelType::text, scheme},
      {"scheme_params", LabelType::params, scheme_params},
      {"stack", LabelType::text, [](Of of) { return text(of.stack); }},
      {"checkpoint", LabelType::place, [](Of of) { return place(of.checkpoint); }, WhereAbsent::left_out},
      {"sample", LabelType::place, [](Of of) { return place(of.sample); }, WhereAbsent::left_out, {}, true},
      {"family", LabelType::text, [](Of of) { return text(of.family); }},
      {"activation", LabelType::text, [](Of of) { return text(of.activation); }},
      {"activation_params", LabelType::params, activation_params},
      {"init", LabelType::text, [](Of of) { return text(of.init); }},
      {"init_params", LabelType::params, init_params},
      {"width", LabelType::size, [](Of of) { return size(of.width); }},
      {"tokens", LabelType::size, [](Of of) { return size(of.tokens); }},
      {"order", LabelType::text, [](Of of) { return text(of.order); }, WhereAbsent::left_out,
       choices<ConvOrder>()},
      {"norm", LabelType::text, [](Of of) { return text(of.norm); }, WhereAbsent::left_out}};
  return all;
}

std::string label_text(const Label& label, const CellLabels& of) {
  const LabelValue value = label.value(of);
  if (const auto* size = std::get_if<Index>(&value)) return std::to_string(*size);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : std::string();
}

std::string source_text(const CellLabels& labels) {
  return labels.scheme ? labels.scheme->canonical() : printable(labels.stack);
}

std::string place_text(const SweepPlan& plan, const CellLabels& labels, Index depth) {
  std::string text = source_text(labels);
  if (plan.widths.size() > 1) text += " width " + std::to_string(labels.width);
  if (plan.activations.size() > 1) text += " activation " + labels.activation;
  if (plan.initializers.size() > 1) text += " init " + labels.init;
  text += " depth " + std::to_string(depth);
  if (labels.seeded) text += " seed " + std::to_string(labels.seed);
  if (labels.sample) text += " sample " + std::to_string(*labels.sample);
  return text;
}

std::string label_key(const CellLabels& of) {
  std::string key;  // \x1f separates, as no name contains it
  for (const Label& label : labels())
    if (!label.averaged) key += label_text(label, of) + '\x1f';
  return key;
}

}  // namespace rezero
