#include "config/axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "config/axis_text.h"
#include "config/images.h"
#include "config/input.h"
#include "config/names.h"
#include "config/options.h"
#include "config/tokens.h"
#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

// the address of a draw has 32 bits for the block
constexpr Index deepest = std::numeric_limits<std::uint32_t>::max();
constexpr Real most_rows = 1e7;

std::vector<std::uint64_t> distinct(const std::vector<std::uint64_t>& values) {
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::uint64_t> out;
  for (const std::uint64_t value : values)
    if (seen.insert(value).second) out.push_back(value);
  return out;
}

/// `alpha=1:alphas=FILE`: a number for all blocks together with one number for each.
void refuse_number_beside_series(const SchemeSpec& scheme, const ParamValue& series) {
  for (const ParamValue& value : scheme.params().values())
    if (value.written && value.name + "s" == series.name)
      throw UsageError("parameters '" + value.name + "' and '" + series.name + "' of scheme '" +
                       std::string(scheme.scheme().name) + "' contradict each other (give one)");
}

/// Reads the series of all schemes; returns their common length, or 0 if there are none.
Index read_all_series(SweepPlan& plan, PlanFiles& files) {
  Index length = 0;
  std::string first;
  for (AxisEntry<SchemeSpec>& entry : plan.schemes.entries())
    for (ParamValue& value : entry.base().params().values()) {
      if (value.kind != ParamKind::series || value.text.empty()) continue;
      refuse_number_beside_series(entry.base(), value);
      value.series = read_series(value.text, files);
      const auto count = static_cast<Index>(value.series.size());
      if (count == 0) throw UsageError("'" + printable(value.text) + "' holds no numbers");
      if (length != 0 && count != length)
        throw UsageError("'" + printable(value.text) + "' holds " + std::to_string(count) + " numbers, '" +
                         printable(first) + "' " + std::to_string(length) + ": one depth cannot fit both");
      length = count, first = value.text;
    }
  return length;
}

/// The numbers of a series per layer.
Index per_layer(const SweepPlan& plan, const SchemeSpec& scheme) {
  for (const ParamValue& value : scheme.params().values())
    if (value.name == "shared" && value.text == "false")
      return static_cast<Index>(plan.family->blocks.size());
  return 1;
}

/// A series has one number per layer, or per block; its length must fit every depth.
void require_series_fit(const SweepPlan& plan) {
  const RandomGeometryPtr geometry = geometry_of(plan, plan.widths.front());
  for (const AxisEntry<SchemeSpec>& entry : plan.schemes.entries())
    for (const ParamValue& value : entry.base().params().values())
      for (const Index depth : plan.depths) {
        const Index layers = geometry->layers(depth), needed = layers * per_layer(plan, entry.base());
        if (!value.series.empty() && static_cast<Index>(value.series.size()) != needed)
          throw UsageError("scheme '" + entry.canonical() + "': '" + printable(value.text) + "' holds " +
                           std::to_string(value.series.size()) + " numbers, --depth " +
                           std::to_string(layers) + " needs " + std::to_string(needed));
      }
}

/// Refuses schemes that do not fit the family, options or depth here, so that no cell is refused after others
/// have run. Seeds make no difference.
void require_schemes_fit(const SweepPlan& plan) {
  expand_cells(plan).for_each_kind([](const CellKind& kind) { require_fit(*kind.spec, kind.depths.back()); });
}

void require_sizes(const SweepPlan& plan) {
  if (plan.depths.back() > deepest)
    throw UsageError("--depth " + std::to_string(plan.depths.back()) + " is more than the " +
                     std::to_string(deepest) + " blocks that can be addressed");
  if (!(plan.hidden_ratio > 0) || !std::isfinite(plan.hidden_ratio))
    throw UsageError("--hidden-ratio must be a positive number, got " + shortest(plan.hidden_ratio));
  if (plan.hidden_ratio * static_cast<Real>(plan.widths.back()) > most_numbers)
    throw UsageError("--hidden-ratio " + shortest(plan.hidden_ratio) + " times --width " +
                     std::to_string(plan.widths.back()) + " is too large");
  const auto size = [](const auto& axis) { return static_cast<Real>(axis.size()); };
  const Real rows = size(plan.schemes) * size(plan.widths) * size(plan.activations) *
                    static_cast<Real>(initializer_count(plan)) * size(plan.seeds) * size(plan.depths);
  require_few_rows(rows, "schemes × widths × activations × inits × seeds × depths");
}

}  // namespace

std::vector<Index> ascending(std::vector<Index> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void require_few_rows(Real rows, std::string_view axes) {
  if (rows > most_rows)
    throw UsageError("the plan asks for " + shortest(rows) + " results (" + std::string(axes) +
                     "), more than " + shortest(most_rows) + ": split it");
}

void require_countable(const std::vector<Index>& widths, Real positions, std::string_view options) {
  for (const Index width : widths)
    if (const Real numbers = static_cast<Real>(width) * positions; numbers > most_numbers)
      throw UsageError("a state of " + shortest(numbers) + " numbers is too large (" + std::string(options) +
                       ")");
}

OptionGroup stack_options() {
  const auto analysis = OptionUse::analysis, verify = OptionUse::verify, one = OptionUse::one_stack;
  const auto no_hidden = [](const Family& family) -> std::string {
    return family.has_hidden() ? "" : "it has no hidden layer";
  };
  const auto no_activation = [](const Family& family) -> std::string {
    return family.uses_activation() ? "" : "it has no activation";
  };
  OptionGroup group{"Stacks", {}};
  group
      .add("scheme", &PlanOptions::scheme,
           "scaling scheme, with parameters as name:param=value; a number may be a list: 0.1,1 or a:b:step, "
           "a:b:xF (see list schemes)")
      .named("NAME[:P=V]...")
      .by_default("plain,residual,depth-power,rezero")
      .checked_by(makes_axis<SchemeSpec>)
      .sweeping()
      .required_in({verify, one})
      .help_in(one, "scaling scheme, with parameters as name:param=value (see list schemes)");
  group.add("family", &PlanOptions::family, "what a layer is: mlp, transformer, ... (see list families)")
      .named("NAME")
      .by_default("mlp")
      .checked_by([](const std::string& text, std::string_view) { families().at(text); });
  group
      .add("stack", &PlanOptions::stack,
           "stack files instead of random stacks: one, or a list or quoted pattern (step_*.safetensors), one "
           "network through its training; --depth then counts its blocks")
      .named("FILE")
      .repeatable()
      .for_any_stack()
      .only_in({analysis, verify});
  group.add("depth", &PlanOptions::depth, "number of layers: 1,2,4 or a:b, a:b:step, a:b:xF")
      .by_default("1:64:x2")
      .for_any_stack()
      .required_in({one})
      .help_in(one, "number of layers");
  group.add("width", &PlanOptions::width, "number of features in the residual stream")
      .by_default([](const Family& family) { return std::to_string(family.geometry->default_width); });
  group.add("hidden-ratio", &PlanOptions::hidden_ratio, "hidden width divided by the width")
      .named("R")
      .by_default([](const Family& family) { return shortest(family.default_hidden_ratio); })
      .json_schema(R"({"type": "number", "exclusiveMinimum": 0})")
      .unless(no_hidden);
  group
      .add("activation", &PlanOptions::activation,
           "activation function; parameters as for schemes (see list activations)")
      .named("NAME[:P=V]")
      .by_default(
          [](const Family& family) -> std::string { return family.uses_activation() ? "relu" : "identity"; })
      .checked_by(makes_axis<Activation>)
      .sweeping()
      .for_any_checkpoint()
      .help_in(one, "activation function (see list activations)")
      .unless(no_activation);
  group
      .add("init", &PlanOptions::init,
           "weight initializer; parameters as for schemes (see list initializers)")
      .named("NAME[:P=V]...")
      .default_text("he; the scheme's own for attention and images")
      .checked_by(makes_axis<Initializer>)
      .sweeping()
      .help_in(one, "weight initializer (see list initializers)");
  group.add("tied", &PlanOptions::tied, "share one set of weights across all layers");
  return group;
}

OptionGroup draw_options() {
  OptionGroup group{"Seeds and input", {}};
  group.add("seed", &PlanOptions::seed, "64-bit seeds; a:b for a range")
      .by_default("0")
      .for_any_graph()
      .for_any_checkpoint()
      .help_in(OptionUse::one_stack, "64-bit seed");
  group
      .add(
          "input", &PlanOptions::input,
          "input: normal, sphere, ones, or an .npy file (.pb for --onnx). With --stack, --checkpoint or "
          "--onnx, one "
          "axis more gives several samples, and a list or quoted pattern one file for each of several stacks")
      .named("LAW")
      .help_in(OptionUse::one_stack, "input: normal, sphere, ones, or an .npy file")
      .by_default("normal")
      .checked_by(accepted_by<input_law>)
      .for_any_stack();
  return group;
}

void resolve_random_stacks(SweepPlan& plan, const PlanOptions& options, PlanUse use, PlanFiles& files) {
  plan.family = &families().at(value_or_default(options, &PlanOptions::family));
  refuse_misfits(options, *plan.family);
  plan.schemes = resolve_axis<SchemeSpec>(value_or_default(options, &PlanOptions::scheme), "--scheme");
  plan.activations = resolve_axis<Activation>(
      value_or_default(options, &PlanOptions::activation, plan.family), "--activation");
  if (options.init) plan.initializers = resolve_axis<Initializer>(*options.init, "--init");
  plan.widths = ascending(value_or_default(options, &PlanOptions::width, plan.family));
  plan.hidden_ratio = value_or_default(options, &PlanOptions::hidden_ratio, plan.family);
  resolve_tokens(plan, options);
  resolve_images(plan, options);
  plan.tied = options.tied.value_or(false);
  plan.seeds = distinct(value_or_default(options, &PlanOptions::seed));
  const std::string input = value_or_default(options, &PlanOptions::input);
  for (const Index width : plan.widths) {
    plan.input = resolve_input(input, geometry_of(plan, width)->shape(), files);
    if (plan.input.law != InputLaw::values) break;  // a law fits every shape
  }
  const Index series = read_all_series(plan, files);
  if (plan.family->geometry->layers_are_fixed(plan))
    plan.depths = stage_depths(plan.conv, options, use);
  else if (series > 0 && !options.depth)
    plan.depths = {series};
  else
    plan.depths = ascending(value_or_default(options, &PlanOptions::depth));
  require_series_fit(plan);
  require_sizes(plan);
  require_schemes_fit(plan);
  plan.files = files.all();
}

void describe_random_stacks(const SweepPlan& plan, PlanOptions& options) {
  options.scheme = canonical_names(plan.schemes.entries());
  options.family = plan.family->name;
  options.depth = plan.depths;
  if (!plan.family->geometry->layers_are_fixed(plan)) options.width = plan.widths;
  if (plan.family->has_hidden()) options.hidden_ratio = plan.hidden_ratio;
  if (plan.family->uses_activation()) options.activation = canonical_names(plan.activations.entries());
  if (!plan.initializers.empty()) options.init = canonical_names(plan.initializers.entries());
  options.tied = plan.tied;
  describe_tokens(plan, options);
  describe_images(plan, options);
  options.seed = plan.seeds;
  options.input = input_text(plan);
}

}  // namespace rezero::detail
