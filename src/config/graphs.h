#pragma once
/// Stacks from ONNX graphs: their options, and what those mean.

#include "config/plan_files.h"
#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Reads the models, their inputs and their other inputs, and makes the stacks. UsageError and IoError as
/// find_endpoints and make_onnx_stack, with the path of the model.
void resolve_graphs(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                    PlanFiles& files);

void describe_graphs(const SweepPlan& plan, PlanOptions& options);

}  // namespace rezero::detail
