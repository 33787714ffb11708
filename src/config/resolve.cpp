#include "rezero/config/resolve.h"

#include <algorithm>

#include "config/axes.h"
#include "config/contradictions.h"
#include "config/input.h"
#include "config/names.h"
#include "config/plan_files.h"
#include "config/tokens.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/stack_file.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

using detail::PlanFiles;

void resolve_stack_file(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                        PlanFiles& files) {
  const std::string& path = *options.stack;
  Real most = 0;
  const auto require = [&](Real bytes) {
    most = std::max(most, bytes);
    if (context.require_memory) context.require_memory(bytes, path);
  };
  std::string bytes = files.read(path);
  StackPtr stack = context.read_stack ? context.read_stack(std::move(bytes), path)
                                      : parse_stack_file(std::move(bytes), path, require);
  plan.stack = StackInput{files.at(path), stack, most};
  if (options.input) {
    plan.input = detail::resolve_input(*options.input, stack->shape(), files);
    plan.stack->stack = detail::with_input(std::move(stack), plan.input);
    if (plan.input.law == InputLaw::values) plan.files = {files.at(*options.input)};
  }
  const Index blocks = plan.stack->stack->blocks();
  plan.depths = detail::ascending(options.depth.value_or(std::vector<Index>{blocks}));
  if (plan.depths.back() > blocks)
    throw UsageError("--depth " + std::to_string(plan.depths.back()) + " is more than the " +
                     std::to_string(blocks) + " blocks of --stack '" + printable(path) + "'");
}

std::vector<CheckSpec> resolve_checks(const PlanOptions& options) {
  std::vector<CheckSpec> out;
  for (const std::string& text :
       options.check.value_or(std::vector<std::string>{"identity", "alive", "live:as=warning"})) {
    CheckSpec check(parse_named_spec(text));
    const auto same = [&](const CheckSpec& known) { return known.canonical() == check.canonical(); };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(check));
  }
  return out;
}

Index count(const std::optional<Index>& written, std::string_view option) {
  if (written && *written < 1)
    throw UsageError(std::string(option) + " must be at least 1, got " + std::to_string(*written));
  return written.value_or(0);
}

/// A check of singular values is a check of all of them.
void require_full_spectrum(std::string_view method) {
  if (method != "auto" && spectrum_methods().at(method).gives != SpectrumScope::full)
    throw UsageError("--method " + std::string(method) +
                     " does not give all singular values, and verify looks at all: use auto or dense");
}

AnalysisOptions resolve_analysis(const PlanOptions& options, PlanUse use) {
  AnalysisOptions analysis;
  analysis.method = detail::spectrum_method_name(options.method.value_or("auto"));
  analysis.cotangent = detail::cotangent_law(options.cotangent.value_or("random"));
  analysis.final_norm = options.final_norm.value_or(false);
  if (use == PlanUse::verify) {
    require_full_spectrum(analysis.method);
    analysis.checks = resolve_checks(options);
    analysis.spectrum = std::any_of(analysis.checks.begin(), analysis.checks.end(),
                                    [](const CheckSpec& spec) { return spec.check().needs_spectrum; });
    return analysis;
  }
  analysis.top = count(options.top, "--top"), analysis.bottom = count(options.bottom, "--bottom");
  analysis.values = detail::values_mode(options.values.value_or("linear"));
  analysis.profile = options.profile.value_or(false);
  return analysis;
}

void require_possible_spectra(const SweepPlan& plan) {
  if (!plan.analysis.spectrum) return;
  if (plan.stack) {
    const Shape shape = plan.stack->stack->shape();
    const bool one_token = plan.analysis.view.wrt || plan.analysis.view.of;
    return detail::refuse_impossible_request(plan.analysis, one_token ? shape.features : shape.size());
  }
  const TokenView& view = plan.analysis.view;
  if (plan.family->is_conv()) {
    for (const Index width : plan.widths)
      for (const Index depth : plan.depths)
        detail::refuse_impossible_request(
            plan.analysis, std::min(shape_after(plan.conv, width, 0).size(),
                                    shape_after(plan.conv, width, plan.conv.staged() ? depth : 0).size()));
    return;
  }
  const Index positions = view.wrt || view.of ? 1 : plan.tokens.tokens;
  for (const Index width : plan.widths) detail::refuse_impossible_request(plan.analysis, width * positions);
}

}  // namespace

SweepPlan resolve_plan(const PlanOptions& options, const ResolveContext& context) {
  SweepPlan plan;
  plan.analysis = resolve_analysis(options, context.use);
  detail::refuse_contradictions(options, context.use);
  PlanFiles files(context.read_file, options.files, context.require_memory);
  if (options.stack)
    resolve_stack_file(plan, options, context, files);
  else
    detail::resolve_random_stacks(plan, options, context.use, files);
  const Index positions = plan.stack ? plan.stack->stack->shape().positions : plan.tokens.tokens;
  plan.analysis.view = detail::resolve_view(options, positions);
  require_possible_spectra(plan);
  return plan;
}

}  // namespace rezero
