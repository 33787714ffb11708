#include <algorithm>

#include "analysis/format_names.h"
#include "config/images.h"
#include "config/names.h"
#include "config/tokens.h"
#include "io/json_cursor.h"
#include "io/strict_json.h"
#include "rezero/config/list.h"
#include "rezero/config/plan_options.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

constexpr std::int64_t exact_doubles = std::int64_t{1} << 53;

const std::vector<std::string_view> plan_keys = {"scheme",
                                                 "family",
                                                 "depth",
                                                 "width",
                                                 "hidden_ratio",
                                                 "activation",
                                                 "init",
                                                 "tied",
                                                 "seed",
                                                 "input",
                                                 "stack",
                                                 "method",
                                                 "top",
                                                 "bottom",
                                                 "values",
                                                 "profile",
                                                 "cotangent",
                                                 "check",
                                                 "files",
                                                 "tokens",
                                                 "heads",
                                                 "kv_heads",
                                                 "causal",
                                                 "rope",
                                                 "qk_norm",
                                                 "wrt",
                                                 "of",
                                                 "final_norm",
                                                 "image",
                                                 "batch",
                                                 "kernel",
                                                 "padding",
                                                 "order",
                                                 "norm",
                                                 "bn_statistics",
                                                 "shortcut",
                                                 "bottleneck",
                                                 "outer_activation",
                                                 "stages",
                                                 "widths"};

/// A list of names, each tried by `resolve` so that errors carry their path.
template <class F>
std::optional<std::vector<std::string>> names(const JsonCursor& plan, std::string_view key, F&& resolve) {
  const std::optional<JsonCursor> field = plan.optional(key);
  if (!field) return std::nullopt;
  if (field->is_string())
    return field->resolve([&](const std::string& text) {
      const std::vector<std::string> list = parse_name_list(text, key);
      for (const std::string& name : list) resolve(name);
      return list;
    });
  std::vector<std::string> list;
  for (const JsonCursor& element : field->elements())
    list.push_back(element.resolve([&](const std::string& name) { return resolve(name), name; }));
  if (list.empty()) field->fail("the list is empty");
  return list;
}

template <class F>
std::optional<std::string> name(const JsonCursor& plan, std::string_view key, F&& resolve) {
  const std::optional<JsonCursor> field = plan.optional(key);
  if (!field) return std::nullopt;
  return field->resolve([&](const std::string& text) { return resolve(text), text; });
}

std::optional<std::vector<Index>> indices(const JsonCursor& plan, std::string_view key) {
  const std::optional<JsonCursor> field = plan.optional(key);
  if (!field) return std::nullopt;
  if (field->is_string())
    return field->resolve([&](const std::string& text) { return parse_index_list(text, key); });
  if (field->is_number()) return std::vector<Index>{field->integer(1, exact_doubles)};
  std::vector<Index> list;
  for (const JsonCursor& element : field->elements()) list.push_back(element.integer(1, exact_doubles));
  if (list.empty()) field->fail("the list is empty");
  return list;
}

std::uint64_t one_seed(const JsonCursor& field) {
  if (!field.is_string()) {
    const bool integer = field.json().is_number_unsigned();
    // Many writers of JSON would have rounded it already.
    if (integer && field.json().get<std::uint64_t>() > static_cast<std::uint64_t>(exact_doubles))
      field.fail("a seed above 2^53 must be a string (as a number it may have been rounded): \"" +
                 field.json().dump() + "\"");
    return static_cast<std::uint64_t>(field.integer(0, exact_doubles));
  }
  const std::vector<std::uint64_t> seeds =
      field.resolve([](const std::string& text) { return parse_seed_list(text, "seed"); });
  if (seeds.size() != 1) field.fail("expected one seed");
  return seeds[0];
}

std::optional<std::vector<std::uint64_t>> seeds(const JsonCursor& plan) {
  const std::optional<JsonCursor> field = plan.optional("seed");
  if (!field) return std::nullopt;
  if (field->is_string())
    return field->resolve([](const std::string& text) { return parse_seed_list(text, "seed"); });
  if (field->is_number()) return std::vector<std::uint64_t>{one_seed(*field)};
  std::vector<std::uint64_t> list;
  for (const JsonCursor& element : field->elements()) list.push_back(one_seed(element));
  if (list.empty()) field->fail("the list is empty");
  return list;
}

std::vector<InputFile> files(const JsonCursor& plan) {
  std::vector<InputFile> list;
  const std::optional<JsonCursor> field = plan.optional("files");
  if (!field) return list;
  for (const JsonCursor& element : field->elements()) {
    element.only({"path", "sha256"});
    const JsonCursor sha256 = element.at("sha256");
    const std::string& digits = sha256.string();
    if (digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      sha256.fail("expected 64 hexadecimal digits");
    list.push_back({element.at("path").string(), digits});
  }
  return list;
}

std::optional<Index> one_index(const JsonCursor& plan, std::string_view key) {
  const std::optional<JsonCursor> field = plan.optional(key);
  return field ? std::optional<Index>(field->integer(1, exact_doubles)) : std::nullopt;
}

std::optional<bool> switched(const JsonCursor& plan, std::string_view key) {
  const std::optional<JsonCursor> field = plan.optional(key);
  return field ? std::optional<bool>(field->boolean()) : std::nullopt;
}

void token_options(PlanOptions& options, const JsonCursor& plan) {
  options.tokens = one_index(plan, "tokens");
  options.heads = one_index(plan, "heads"), options.kv_heads = one_index(plan, "kv_heads");
  options.causal = switched(plan, "causal"), options.rope = switched(plan, "rope");
  options.qk_norm = name(plan, "qk_norm", [](const std::string& text) { norms().at(text); });
  options.wrt = name(plan, "wrt", [](const std::string& text) { detail::token_of(text, "wrt"); });
  options.of = name(plan, "of", [](const std::string& text) { detail::token_of(text, "of"); });
  options.final_norm = switched(plan, "final_norm");
}

/// Counts in order: an array, one number, or the option's text.
std::optional<std::string> counts(const JsonCursor& plan, std::string_view key) {
  const std::optional<JsonCursor> field = plan.optional(key);
  if (!field) return std::nullopt;
  if (field->is_string()) return field->string();
  if (field->is_number()) return std::to_string(field->integer(1, exact_doubles));
  std::string list;
  for (const JsonCursor& element : field->elements())
    list += (list.empty() ? "" : ",") + std::to_string(element.integer(1, exact_doubles));
  if (list.empty()) field->fail("the list is empty");
  return list;
}

void image_options(PlanOptions& options, const JsonCursor& plan) {
  options.image = name(plan, "image", [](const std::string& text) { detail::image_of(text, "image"); });
  options.batch = one_index(plan, "batch"), options.kernel = one_index(plan, "kernel");
  options.padding = name(plan, "padding", detail::padding_of);
  options.order = name(plan, "order", detail::conv_order_of);
  options.norm = name(plan, "norm", detail::conv_norm_of);
  options.bn_statistics = name(plan, "bn_statistics", detail::initial_statistics_of);
  options.shortcut = name(plan, "shortcut", detail::shortcut_of);
  options.bottleneck = switched(plan, "bottleneck");
  options.outer_activation = switched(plan, "outer_activation");
  options.stages = counts(plan, "stages"), options.widths = counts(plan, "widths");
}

void stack_options(PlanOptions& options, const JsonCursor& plan) {
  options.scheme = names(plan, "scheme", [](const std::string& text) { SchemeSpec{text}; });
  options.family = name(plan, "family", [](const std::string& text) { families().at(text); });
  options.depth = indices(plan, "depth"), options.width = indices(plan, "width");
  if (const auto ratio = plan.optional("hidden_ratio")) options.hidden_ratio = ratio->real();
  options.activation = names(plan, "activation", [](const std::string& text) { Activation{text}; });
  options.init = names(plan, "init", [](const std::string& text) { Initializer{parse_named_spec(text)}; });
  if (const auto tied = plan.optional("tied")) options.tied = tied->boolean();
  options.seed = seeds(plan);
  token_options(options, plan);
  image_options(options, plan);
  options.input = name(plan, "input", detail::input_law);
  options.stack = name(plan, "stack", [](const std::string&) {});
}

void analysis_options(PlanOptions& options, const JsonCursor& plan) {
  options.method = name(plan, "method", detail::spectrum_method_name);
  if (const auto top = plan.optional("top")) options.top = top->integer(1, exact_doubles);
  if (const auto bottom = plan.optional("bottom")) options.bottom = bottom->integer(1, exact_doubles);
  options.values = name(plan, "values", detail::values_mode);
  if (const auto profile = plan.optional("profile")) options.profile = profile->boolean();
  options.cotangent = name(plan, "cotangent", detail::cotangent_law);
  options.check = names(plan, "check", [](const std::string& text) { CheckSpec{parse_named_spec(text)}; });
}

/// An ndjson stream holds its plan in the first line.
std::string_view first_line_of_stream(std::string_view text) {
  constexpr std::string_view opening = "{\"kind\": \"context\"";
  const bool stream = text.substr(0, opening.size()) == opening;
  return stream ? text.substr(0, text.find('\n')) : text;
}

/// The plan of a report, which says its format, or of whatever else holds a `plan`; or the document itself.
JsonCursor plan_of(const JsonCursor& top) {
  if (!top.is_object()) return top;
  if (const auto format = top.find("schema")) {
    format->one_of("format", {detail::report_format, detail::verdict_format});
    return top.at("plan");
  }
  return top.find("plan").value_or(top);
}

}  // namespace

PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name) {
  const std::string what = "plan '" + file_name + "'";
  const nlohmann::ordered_json document = parse_strict_json(first_line_of_stream(text), what);
  const JsonCursor top(document, what);
  const JsonCursor plan = plan_of(top);
  plan.only(plan_keys);
  for (const auto& [key, value] : plan.members())
    if (value.is_null()) value.fail("null is no value (leave the key out for the default)");
  PlanOptions options;
  stack_options(options, plan);
  analysis_options(options, plan);
  options.files = files(plan);
  return options;
}

}  // namespace rezero
