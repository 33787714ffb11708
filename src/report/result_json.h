#pragma once
/// Each result type as JSON. The `…_members` functions write into an open object, so that ndjson can write a
/// kind first.

#include <functional>

#include "report/json_writer.h"
#include "rezero/report/context.h"

namespace rezero::detail {

void write_tool(JsonWriter& json, const ToolInfo& tool);
void write_run(JsonWriter& json, const RunInfo& run);
/// The definitions of all metrics, one per line if `indent` ≥ 0.
void write_metric_definitions(JsonWriter& json, int indent);

/// The labels of a row; null if not applicable.
void label_members(JsonWriter& json, const CellLabels& labels);

void result_members(JsonWriter& json, const CellLabels& labels, const DepthResult& result, ValuesMode mode);
/// `kind_key`: "kind" in documents; "failure_kind" in ndjson, where "kind" is that of the line.
void failure_members(JsonWriter& json, const CellLabels& labels, const CellFailure& failure,
                     std::string_view kind_key = "kind");
void summary_members(JsonWriter& json, const SummaryRow& row);
void check_members(JsonWriter& json, const CellLabels& labels, Index depth, const CheckResult& check);

/// One object, with the members that `members` writes, as text.
std::string object_text(const std::function<void(JsonWriter&)>& members);

}  // namespace rezero::detail
