#pragma once
/// The formats as JSON Schema (draft 2020-12). docs/schema.md explains them.

#include <string>
#include <string_view>
#include <vector>

namespace rezero {

/// Names that report_schema takes: report, verdict, ndjson, plan.
const std::vector<std::string_view>& schema_names();

/// The schema of that format as JSON text. `ndjson` is that of one line of a report's or verdict's stream.
/// Objects are closed: a key that the schema does not list is a fault. UsageError for an unknown name.
std::string report_schema(std::string_view name);

}  // namespace rezero
