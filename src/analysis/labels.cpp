#include "rezero/analysis/labels.h"

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
      {"init", LabelType::text, [](Of of) { return text(of.init); }},
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

}  // namespace rezero
