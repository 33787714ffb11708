#include "report/result_json.h"

#include <algorithm>

#include "report/published_values.h"
#include "report/spectrum_json.h"
#include "report/theory_json.h"
#include "rezero/analysis/labels.h"
#include "rezero/analysis/recipe.h"

namespace rezero::detail {
namespace {

void seed_member(JsonWriter& json, const CellLabels& labels) {
  labels.seeded ? json.member("seed", std::to_string(labels.seed)) : json.null_member("seed");
}

void params_object(JsonWriter& json, const Params& params) {
  json.begin_object();
  for (const ParamValue& value : params.values()) {
    const bool is_number =
        value.kind == ParamKind::real || (value.kind == ParamKind::real_or_choice && !value.text.empty() &&
                                          value.text == shortest(value.number));
    if (value.text.empty())
      json.null_member(value.name);
    else if (is_number)
      json.member(value.name, value.number);
    else
      json.member(value.name, value.text);
  }
  json.end_object();
}

void metric_values(JsonWriter& json, const std::vector<std::optional<Real>>& values) {
  json.key("metrics"), json.begin_object();
  std::size_t i = 0;
  for (const Metric& metric : metrics()) {
    json.member(metric.name, i < values.size() ? values[i] : std::nullopt);
    ++i;
  }
  json.end_object();
}

void summary_of(JsonWriter& json, const MetricSummary& summary) {
  json.begin_object();
  json.member("mean", summary.mean);
  json.member("stderr", summary.standard_error);
  json.member("min", summary.min);
  json.member("max", summary.max);
  json.member("count", summary.count);
  json.end_object();
}

void culprit_object(JsonWriter& json, const Culprit& culprit) {
  json.begin_object();
  json.member("block", culprit.block);
  json.member("parameter", culprit.parameter);
  json.member("value", culprit.value);
  json.member("reason", culprit.reason);
  json.end_object();
}

void names(JsonWriter& json, std::string_view key, const std::vector<std::string>& list) {
  json.key(key), json.begin_array();
  for (const std::string& name : list) json.text(name);
  json.end_array();
}

void tensor_object(JsonWriter& json, const TensorFinding& tensor) {
  json.begin_object();
  json.member("block", tensor.block);
  json.member("tensor", tensor.name);
  json.member("law", tensor.expected == 0 ? std::string_view("zero") : to_string(tensor.shape));
  json.member("count", tensor.count);
  json.member("rms", tensor.rms), json.member("expected_rms", tensor.expected);
  json.member("rms_low", tensor.low), json.member("rms_high", tensor.high);
  json.member("mean", tensor.mean), json.member("mean_bound", tensor.mean_bound);
  json.member("pass", tensor.pass);
  json.end_object();
}

void recipe_member(JsonWriter& json, const RecipeFindings& recipe) {
  json.key("recipe"), json.begin_object();
  json.member("scheme", recipe.scheme), json.member("init", recipe.init);
  json.member("family", recipe.family);
  json.member("level", recipe.level), json.member("level_of_tensor", recipe.level_of_tensor);
  json.member("constants", recipe.constants);
  json.member("compares_wiring", recipe.compares_wiring);
  names(json, "without_bias", recipe.without_bias), names(json, "unmatched", recipe.unmatched);
  json.key("tensors"), json.begin_array();
  for (const TensorFinding& tensor : recipe.tensors) tensor_object(json, tensor);
  json.end_array();
  json.end_object();
}

}  // namespace

void write_tool(JsonWriter& json, const ToolInfo& tool) {
  json.begin_object();
  json.member("name", tool.name), json.member("version", tool.version), json.member("git", tool.git);
  json.member("compiler", tool.compiler), json.member("flags", tool.flags);
  json.member("eigen", tool.eigen), json.member("spectra", tool.spectra), json.member("blas", tool.blas);
  json.end_object();
}

void write_run(JsonWriter& json, const RunInfo& run) {
  json.begin_object();
  json.member("started_at_utc", run.started_at_utc);
  json.member("wall_seconds", run.wall_seconds);
  json.member("threads", Index{run.threads});
  json.member("host", run.host);
  json.member("peak_bytes", static_cast<Index>(run.peak_bytes));
  json.end_object();
}

void write_metric_definitions(JsonWriter& json, int indent) {
  json.begin_array();
  for (const Metric& metric : metrics()) {
    if (indent >= 0) json.line(indent + 2);
    json.begin_object();
    json.member("name", metric.name), json.member("unit", metric.unit);
    json.member("definition", metric.summary), json.member("source", metric.source);
    json.end_object();
  }
  if (indent >= 0) json.line(indent);
  json.end_array();
}

void label_members(JsonWriter& json, const CellLabels& of) {
  for (const Label& label : labels()) {
    const LabelValue value = label.value(of);
    if (const auto* text = std::get_if<std::string>(&value)) {
      json.member(label.key, *text);
    } else if (const auto* size = std::get_if<Index>(&value)) {
      json.member(label.key, *size);
    } else if (const auto* params = std::get_if<const Params*>(&value)) {
      json.key(label.key);
      params_object(json, **params);
    } else if (label.where_absent == WhereAbsent::null) {
      json.null_member(label.key);
    }
  }
}

void result_members(JsonWriter& json, const CellLabels& labels, const DepthResult& result, ValuesMode mode) {
  label_members(json, labels);
  json.member("depth", result.depth);
  json.member("blocks", result.blocks);
  seed_member(json, labels);
  json.member("dimension", std::min(result.rows, result.cols));
  if (result.rows != result.cols) json.member("rows", result.rows), json.member("cols", result.cols);
  json.member("status", to_string(row_status(result.spectrum, mode)));
  metric_values(json, result.metrics);
  spectrum_members(json, result.spectrum, mode);
  if (result.profile) profile_member(json, *result.profile);
  if (result.theory) theory_member(json, *result.theory);
}

void failure_members(JsonWriter& json, const CellLabels& labels, const CellFailure& failure,
                     std::string_view kind_key) {
  label_members(json, labels);
  json.member("depth", failure.depth);
  seed_member(json, labels);
  json.member(kind_key, failure.kind);
  json.member("message", failure.message);
}

void summary_members(JsonWriter& json, const SummaryRow& row) {
  label_members(json, row.labels);
  json.member("depth", row.depth);
  json.member("blocks", row.blocks);
  json.key("metrics"), json.begin_object();
  std::size_t i = 0;
  for (const Metric& metric : metrics()) {
    json.key(metric.name), summary_of(json, i < row.metrics.size() ? row.metrics[i] : MetricSummary{});
    ++i;
  }
  json.end_object();
  if (row.theory) theory_member(json, *row.theory);
}

void check_members(JsonWriter& json, const CellLabels& labels, Index depth, const CheckResult& check) {
  label_members(json, labels);
  json.member("depth", depth);
  seed_member(json, labels);
  json.member("check", check.check);
  json.member("pass", check.pass);
  json.member("severity", check.warning ? "warning" : "error");
  json.member("value", check.value ? check.value->to_real() : std::nullopt);
  json.member("log10_value", check.value ? std::optional<Real>(check.value->log10()) : std::nullopt);
  json.member("bound", check.bound);
  json.member("quantity", check.quantity);
  json.member("culprit_count", check.culprit_count);
  json.key("culprits"), json.begin_array();
  for (const Culprit& culprit : check.culprits) culprit_object(json, culprit);
  json.end_array();
  json.member("message", check.message);
  if (check.recipe) recipe_member(json, *check.recipe);
}

std::string object_text(const std::function<void(JsonWriter&)>& members) {
  std::string text;
  JsonWriter json([&](std::string_view piece) { text += piece; });
  json.begin_object();
  members(json);
  json.end_object();
  json.flush();
  return text;
}

}  // namespace rezero::detail
