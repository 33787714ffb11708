#pragma once
/// The formats as JSON Schema (draft 2020-12). docs/schema.md explains them.

#include <string>
#include <string_view>
#include <vector>

namespace rezero {

/// The names accepted by report_schema: report, verdict, ndjson, plan.
const std::vector<std::string_view>& schema_names();

/// The schema of that format as JSON text. `ndjson` is the schema of one line of the stream of a report or
/// verdict. Objects are closed: keys that the schema does not list are errors. UsageError for an unknown
/// name.
std::string report_schema(std::string_view name);

}  // namespace rezero
