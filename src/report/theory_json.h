#pragma once
/// Predictions in reports.

#include "report/json_writer.h"
#include "rezero/analysis/result.h"

namespace rezero::detail {

/// `theory` of a result: predicted metrics and the distance of its spectrum, or the reason why nothing is
/// known.
void theory_member(JsonWriter& json, const TheoryOfRow& theory);
/// `theory` of a summary: comparisons with their verdicts, and the predicted curves.
void theory_member(JsonWriter& json, const TheorySummary& theory);

/// The members of a prediction by itself: metrics, the spectral law, signals by block.
void outlook_members(JsonWriter& json, const theory::Outlook& outlook);

}  // namespace rezero::detail
