#include "config/analysis_options.h"
#include "config/axes.h"
#include "config/checkpoints.h"
#include "config/graphs.h"
#include "config/options.h"
#include "config/stack_files.h"
#include "rezero/config/resolve.h"

namespace rezero {
PlanOptions plan_as_options(const SweepPlan& plan) {
  PlanOptions options;
  if (plan.stack && plan.stack->graph)
    detail::describe_graphs(plan, options);
  else if (plan.stack && plan.stack->checkpoint)
    detail::describe_checkpoints(plan, options);
  else if (plan.stack)
    detail::describe_stack_files(plan, options);
  else
    detail::describe_random_stacks(plan, options);
  detail::describe_analysis(plan.analysis, options);
  if (plan.stack && plan.stack->graph) options.dropout = plan.stack->graph->masks;
  options.files.insert(options.files.end(), plan.files.begin(), plan.files.end());
  return options;
}

std::string plan_json(const SweepPlan& plan, int indent) {
  return detail::plan_options_json(plan_as_options(plan), indent, detail::option_table());
}

}  // namespace rezero
