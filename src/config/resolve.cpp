#include "rezero/config/resolve.h"

#include <algorithm>

#include "config/analysis_options.h"
#include "config/axes.h"
#include "config/checkpoints.h"
#include "config/graphs.h"
#include "config/options.h"
#include "config/plan_files.h"
#include "config/stack_files.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

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
  if (plan.stack) return require(plan.stack->first().stack->geometry());
  StackSpec spec = stack_spec(plan, plan.schemes.front(), plan.widths.front(), plan.activations.front(),
                              initializer_of(plan, plan.schemes.front()));
  for (const Index width : plan.widths) {
    spec.width = width;
    require(*spec.geometry());
  }
}

}  // namespace

SweepPlan resolve_plan(const PlanOptions& options, const ResolveContext& context) {
  SweepPlan plan;
  detail::resolve_analysis(plan.analysis, options, context.use);
  detail::refuse_contradictions(options);
  if (context.use == PlanUse::verify && !options.stack && !options.scheme && !options.onnx &&
      !options.checkpoint)
    throw UsageError("nothing to verify: give --scheme NAME, --stack FILE, --onnx FILE or --checkpoint FILE");
  detail::PlanFiles files(context.read_file, options.files, context.require_memory);
  if (options.onnx)
    detail::resolve_graphs(plan, options, context, files);
  else if (options.stack)
    detail::resolve_stack_files(plan, options, context, files);
  else if (options.checkpoint)
    detail::resolve_checkpoints(plan, options, context, files);
  else
    detail::resolve_random_stacks(plan, options, context.use, files);
  const Index positions = plan.stack ? plan.stack->first().stack->shape().positions : plan.tokens.tokens;
  plan.analysis.view = detail::resolve_view(options, positions);
  if (context.use == PlanUse::verify) plan.analysis.recipe = detail::resolve_recipe(options, plan, context);
  require_possible_spectra(plan);
  return plan;
}

}  // namespace rezero
