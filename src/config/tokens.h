#pragma once
/// Options of families over tokens, besides the width.

#include "rezero/config/plan_options.h"

namespace rezero::detail {

/// Fills in plan.tokens. UsageError for heads that do not divide a width.
void resolve_tokens(SweepPlan& plan, const PlanOptions& options);
/// The inverse.
void describe_tokens(const SweepPlan& plan, PlanOptions& options);

}  // namespace rezero::detail
