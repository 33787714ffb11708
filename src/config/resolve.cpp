#include "rezero/config/resolve.h"

#include <algorithm>

#include "config/analysis_options.h"
#include "config/axes.h"
#include "config/graphs.h"
#include "config/input.h"
#include "config/options.h"
#include "config/plan_files.h"
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
  plan.stack.emplace();
  plan.stack->file = files.at(path), plan.stack->stack = stack, plan.stack->reading_bytes = most;
  if (options.input) {
    plan.input = detail::resolve_input(*options.input, stack->shape(), files, &plan.stack->samples);
    plan.stack->own_input = false;
    plan.stack->stack = slice_stack(stack, 0, stack->blocks(), draw_input(plan.input, stack->shape(), 0));
    if (plan.input.law == InputLaw::values) plan.files = {files.at(*options.input)};
  }
  plan.depths =
      detail::depths_within(options, plan.stack->stack->blocks(), "--stack '" + printable(path) + "'");
}

void require_possible_spectra(const SweepPlan& plan) {
  if (!plan.analysis.spectrum) return;
  SpectrumRequest request;
  request.top = plan.analysis.top;
  request.bottom = plan.analysis.bottom;
  request.method = plan.analysis.method;
  const bool one_token = plan.analysis.view.wrt || plan.analysis.view.of;
  const auto require = [&](const Geometry& geometry) {
    const auto size = [&](Shape shape) { return one_token ? shape.features : shape.size(); };
    for (const Index depth : plan.depths)
      require_possible(request, std::min(size(geometry.shape()),
                                         size(geometry.shape_after(depth * geometry.blocks_per_layer()))));
  };
  if (plan.stack) return require(plan.stack->stack->geometry());
  StackSpec spec = stack_spec(plan, plan.schemes.front(), plan.widths.front(), plan.activations.front(),
                              initializers_of(plan, plan.schemes.front()).front());
  for (const Index width : plan.widths) {
    spec.width = width;
    require(*spec.geometry());
  }
}

}  // namespace

SweepPlan resolve_plan(const PlanOptions& options, const ResolveContext& context) {
  SweepPlan plan;
  detail::resolve_analysis(plan.analysis, options, context.use);
  if (options.onnx)
    detail::refuse_beside_graph(options);
  else
    detail::refuse_without_graph(options);
  if (options.stack) detail::refuse_beside_stack(options);
  if (context.use == PlanUse::verify && !options.stack && !options.scheme && !options.onnx)
    throw UsageError("nothing to verify: give --scheme NAME, --stack FILE or --onnx FILE");
  PlanFiles files(context.read_file, options.files, context.require_memory);
  if (options.onnx)
    detail::resolve_graphs(plan, options, context, files);
  else if (options.stack)
    resolve_stack_file(plan, options, context, files);
  else
    detail::resolve_random_stacks(plan, options, context.use, files);
  const Index positions = plan.stack ? plan.stack->stack->shape().positions : plan.tokens.tokens;
  plan.analysis.view = detail::resolve_view(options, positions);
  require_possible_spectra(plan);
  return plan;
}

}  // namespace rezero
