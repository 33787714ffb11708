#pragma once
/// What families over tokens take beside the width, and the view of one token.

#include "rezero/config/plan_options.h"

namespace rezero::detail {

/// Fills in plan.tokens. UsageError: options that the family has no use for, heads that do not divide a
/// width.
void resolve_tokens(SweepPlan& plan, const PlanOptions& options);

/// `token:i`, 0-based. UsageError naming `option` otherwise.
Index token_of(const std::string& text, std::string_view option);
/// --wrt and --of; UsageError for a token beyond `positions`.
TokenView resolve_view(const PlanOptions& options, Index positions);

}  // namespace rezero::detail
