#include "report/swept_columns.h"

#include <algorithm>

#include "report/csv_columns.h"

namespace rezero::detail {
namespace {

using Source = SweptColumn::Source;

const char* word_of(Source source) {
  return source == Source::scheme ? "scheme" : source == Source::activation ? "activation" : "init";
}

const Params* params_of(const CellLabels& of, Source source) {
  if (source == Source::scheme) return of.scheme ? &of.scheme->params() : nullptr;
  return source == Source::activation ? &of.activation_params : &of.init_params;
}

template <class T>
void add_columns(std::vector<SweptColumn>& columns, const Axis<T>& axis, Source source) {
  for (const AxisEntry<T>& entry : axis.entries())
    for (const SweptParam& param : entry.swept()) {
      const auto same = [&](const SweptColumn& known) {
        return known.source == source && known.param == param.name;
      };
      if (std::none_of(columns.begin(), columns.end(), same))
        columns.push_back({source, param.name, param.name});
    }
}

}  // namespace

const ParamValue* SweptColumn::value(const CellLabels& of) const {
  const Params* params = params_of(of, source);
  if (!params) return nullptr;
  const auto find = [&](const std::string& name) -> const ParamValue* {
    for (const ParamValue& value : params->values())
      if (value.name == name && !value.text.empty()) return &value;
    return nullptr;
  };
  const ParamValue* series = find(param + "s");
  return series && series->kind == ParamKind::series ? nullptr : find(param);
}

std::vector<SweptColumn> swept_columns(const SweepPlan& plan) {
  std::vector<SweptColumn> columns;
  if (plan.stack) return columns;
  add_columns(columns, plan.schemes, Source::scheme);
  add_columns(columns, plan.activations, Source::activation);
  add_columns(columns, plan.initializers, Source::init);
  const std::vector<std::string> others = csv_columns();
  for (SweptColumn& column : columns) {
    const auto taken = [&](const SweptColumn& other) {
      return &other != &column && other.param == column.param;
    };
    if (std::any_of(columns.begin(), columns.end(), taken) ||
        std::count(others.begin(), others.end(), column.param) > 0)
      column.title = std::string(word_of(column.source)) + "." + column.param;
  }
  return columns;
}

std::string text_beside_columns(const std::vector<SweptColumn>& columns, Source source, std::string_view name,
                                const Params& params) {
  return canonical_spec(name, params, [&](const ParamValue& value) {
    for (const SweptColumn& column : columns)
      if (column.source == source && column.param == value.name)
        return static_cast<const std::string*>(nullptr);
    return value.is_default ? nullptr : &value.text;
  });
}

}  // namespace rezero::detail
