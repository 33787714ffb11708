#pragma once
/// The axes of a sweep over random stacks.

#include "config/plan_files.h"
#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Fills in everything that defines the stacks; the plan's `analysis` is left alone.
void resolve_random_stacks(SweepPlan& plan, const PlanOptions& options, PlanUse use, PlanFiles& files);

/// Ascending, each once.
std::vector<Index> ascending(std::vector<Index> values);

}  // namespace rezero::detail
