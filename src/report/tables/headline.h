#pragma once
/// The line above a table, with everything that its rows have in common; and above a group, with what
/// distinguishes it.

#include <string>

#include "report/swept_columns.h"
#include "rezero/analysis/result.h"
#include "rezero/report/context.h"

namespace rezero::detail {

/// `rezero-analyze 0.1.0 · mlp · width 64 · relu · init he · input normal · seed 0`
std::string headline(const ReportContext& context);

/// `rezero  x + αF(x)`, followed by the axes that the plan varies. Parameters with `columns` are left out.
std::string group_heading(const SweepPlan& plan, const std::vector<SweptColumn>& columns,
                          const CellLabels& labels);

/// The same for tables without such columns: `depth-power   x + αF(x) · p 0.5`.
std::string full_heading(const SweepPlan& plan, const CellLabels& labels);

}  // namespace rezero::detail
