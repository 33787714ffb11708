#pragma once
/// What a table says above its rows: all that they have in common; and above a group: what sets it apart.

#include <string>

#include "rezero/analysis/result.h"
#include "rezero/report/context.h"

namespace rezero::detail {

/// `rezero-analyze 0.1.0 · mlp · width 64 · relu · init he · input normal · seed 0`
std::string headline(const ReportContext& context);

/// `rezero  x + αF(x)`, followed by the axes that the plan varies.
std::string group_heading(const SweepPlan& plan, const CellLabels& labels);

}  // namespace rezero::detail
