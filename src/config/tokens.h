#pragma once
/// What families over tokens take besides the width.

#include "rezero/config/plan_options.h"

namespace rezero::detail {

/// Fills in plan.tokens. UsageError: heads that do not divide a width.
void resolve_tokens(SweepPlan& plan, const PlanOptions& options);
/// The inverse.
void describe_tokens(const SweepPlan& plan, PlanOptions& options);

}  // namespace rezero::detail
