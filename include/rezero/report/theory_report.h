#pragma once
/// Predictions without measurements, as text.

#include <string>
#include <vector>

#include "rezero/analysis/result.h"
#include "rezero/report/context.h"

namespace rezero {

/// What theory says about a stack at one depth.
struct PredictionRow {
  CellLabels labels;
  Index depth = 0, blocks = 0;
  OutlookPtr outlook;
};

/// A document `rezero-analyze/theory/1`: tool, plan, and a row per stack and depth.
std::string theory_report_json(const ReportContext& context, const std::vector<PredictionRow>& rows);
/// A table per scheme.
std::string theory_report_table(const ReportContext& context, const std::vector<PredictionRow>& rows);

}  // namespace rezero
