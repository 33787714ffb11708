#pragma once
/// Predictions beside the rows of the report table.

#include <string>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero::detail {

/// A block of rows per scheme: predictions at infinite width, the statistics of the tests, and the verdict.
/// Empty if no row has a theory section.
std::string theory_table(const SweepPlan& plan, const std::vector<SummaryRow>& rows);

/// The predicted number; if it does not fit into a double, the power of ten in `log10_metric` (which may be
/// empty); or –.
std::string predicted_text(const theory::Outlook& outlook, std::string_view metric,
                           std::string_view log10_metric);

}  // namespace rezero::detail
