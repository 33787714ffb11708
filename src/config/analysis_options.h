#pragma once
/// The analysis of a plan: the part of J, the method, and what is reported or checked.

#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Fills in everything except the view. UsageError for invalid names and counts.
void resolve_analysis(AnalysisOptions& analysis, const PlanOptions& options, PlanUse use);
/// `token:i`, 0-based. UsageError naming `option` otherwise.
Index token_of(const std::string& text, std::string_view option);
/// --wrt and --of; UsageError for a token beyond `positions`.
TokenView resolve_view(const PlanOptions& options, Index positions);

/// --expect-scheme for the first stack of the plan, or null without that option; those for all stacks go to
/// their StackFile. UsageError if the scheme does not fit them, MemoryError if its copies of weights do not
/// fit into memory.
std::shared_ptr<const Recipe> resolve_recipe(const PlanOptions& options, SweepPlan& plan,
                                             const ResolveContext& context);

/// The inverse of all three.
void describe_analysis(const AnalysisOptions& analysis, PlanOptions& options);

}  // namespace rezero::detail
