#pragma once
/// What a plan says about the analysis: which part of J, by which method, what is reported or checked.

#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Fills in all but the view. UsageError: names and counts that make no sense.
void resolve_analysis(AnalysisOptions& analysis, const PlanOptions& options, PlanUse use);
/// `token:i`, 0-based. UsageError naming `option` otherwise.
Index token_of(const std::string& text, std::string_view option);
/// --wrt and --of; UsageError for a token beyond `positions`.
TokenView resolve_view(const PlanOptions& options, Index positions);

/// The inverse of both.
void describe_analysis(const AnalysisOptions& analysis, PlanOptions& options);

}  // namespace rezero::detail
