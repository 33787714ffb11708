#pragma once
/// Predictions beside the rows of the report table.

#include <string>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero::detail {

/// A block of rows per scheme: predictions at infinite width, the statistics of the tests, and the verdict.
/// Empty if no row has a theory section.
std::string theory_table(const SweepPlan& plan, const std::vector<SummaryRow>& rows);

}  // namespace rezero::detail
