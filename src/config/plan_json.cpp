#include <nlohmann/json.hpp>

#include "config/images.h"
#include "config/input.h"
#include "rezero/config/resolve.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json canonical_names(const std::vector<T>& entries) {
  Json list = Json::array();
  for (const T& entry : entries) list.push_back(entry.canonical());
  return list;
}

/// The law's name, or the path: of all files that a plan reads its input is the first.
std::string input_text(const InputSpec& input, const SweepPlan& plan) {
  return input.law == InputLaw::values ? plan.files.front().path : std::string(to_string(input.law));
}

void attention(Json& json, const AttentionSpec& spec) {
  json["heads"] = spec.heads;
  json["kv_heads"] = spec.kv_heads;
  json["causal"] = spec.causal;
  json["rope"] = spec.rope.has_value();
  if (spec.qk_norm) json["qk_norm"] = spec.qk_norm.kind->name;
}

std::string extents(const ImageSpec& image) {
  return std::to_string(image.height) + "x" + std::to_string(image.width);
}

void images(Json& json, const ConvNetSpec& net) {
  json["image"] = extents(net.image);
  json["batch"] = net.image.batch;
  json["kernel"] = net.kernel;
  json["padding"] = to_string(net.padding);
  json["bottleneck"] = net.bottleneck;
  json["outer_activation"] = net.outer_activation;
  json["bn_statistics"] = net.initial_statistics ? "initial" : "batch";
  if (net.order) json["order"] = to_string(*net.order);
  if (net.norm) json["norm"] = detail::conv_norm_text(*net.norm);
  if (net.shortcut) json["shortcut"] = to_string(*net.shortcut);
  if (net.staged()) json["stages"] = net.stages, json["widths"] = net.widths;
}

void random_stacks(Json& json, const SweepPlan& plan) {
  json["scheme"] = canonical_names(plan.schemes);
  json["family"] = plan.family->name;
  json["depth"] = plan.depths;
  if (!plan.conv.staged()) json["width"] = plan.widths;
  if (plan.family->has_hidden()) json["hidden_ratio"] = plan.hidden_ratio;
  if (plan.family->uses_activation()) json["activation"] = canonical_names(plan.activations);
  if (!plan.initializers.empty()) json["init"] = canonical_names(plan.initializers);
  json["tied"] = plan.tied;
  if (plan.family->has_tokens) json["tokens"] = plan.tokens.tokens;
  if (plan.family->has_attention()) attention(json, plan.tokens.attention);
  if (plan.family->is_conv()) images(json, plan.conv);
  Json& seeds = json["seed"] = Json::array();
  for (const std::uint64_t seed : plan.seeds) seeds.push_back(std::to_string(seed));
  json["input"] = input_text(plan.input, plan);
}

void stack_file(Json& json, const SweepPlan& plan) {
  json["stack"] = plan.stack->file.path;
  json["depth"] = plan.depths;
  if (const InputSpec* input = detail::given_input(*plan.stack->stack))
    json["input"] = input_text(*input, plan);
}

void analysis(Json& json, const AnalysisOptions& options) {
  if (options.final_norm) json["final_norm"] = true;
  if (options.view.wrt) json["wrt"] = "token:" + std::to_string(*options.view.wrt);
  if (options.view.of) json["of"] = "token:" + std::to_string(*options.view.of);
  json["method"] = options.method;
  if (!options.checks.empty()) {
    json["cotangent"] = to_string(options.cotangent);
    json["check"] = canonical_names(options.checks);
    return;
  }
  if (options.top > 0) json["top"] = options.top;
  if (options.bottom > 0) json["bottom"] = options.bottom;
  json["values"] = to_string(options.values);
  json["profile"] = options.profile;
  if (options.profile) json["cotangent"] = to_string(options.cotangent);
}

void files(Json& json, const SweepPlan& plan) {
  Json& list = json["files"] = Json::array();
  const auto add = [&](const InputFile& file) {
    list.push_back({{"path", file.path}, {"sha256", file.sha256}});
  };
  if (plan.stack) add(plan.stack->file);
  for (const InputFile& file : plan.files) add(file);
}

}  // namespace

std::string plan_json(const SweepPlan& plan, int indent) {
  Json json = Json::object();
  plan.stack ? stack_file(json, plan) : random_stacks(json, plan);
  analysis(json, plan.analysis);
  files(json, plan);
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rezero
