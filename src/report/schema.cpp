#include "rezero/report/schema.h"

#include "report/schema_names.h"
#include "report/schema_parts.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero {
namespace {

using namespace detail;
using Text = std::string;

Text reference(std::string_view key, std::string_view definition) {
  return "\"" + Text(key) + R"(": {"$ref": "#/$defs/)" + Text(definition) + "\"}";
}

Text list_of(std::string_view key, std::string_view definition) {
  return "\"" + Text(key) + R"(": {"type": "array", "items": {"$ref": "#/$defs/)" + Text(definition) + "\"}}";
}

Text constant(std::string_view key, std::string_view value) {
  return "\"" + Text(key) + R"(": {"const": ")" + Text(value) + "\"}";
}

/// The rows of reports and verdicts. A row may have a `kind`: ndjson requires it.
Text row_definitions() {
  const Text labels = label_properties(), keys = label_keys(), seed = reference("seed", "seed_or_null");
  const Text blocks = reference("blocks", "depth");
  return object_definition(
             "result",
             constant("kind", "result") + "," + labels + ",\n        " + blocks + ", " + seed + ", " +
                 reference("dimension", "count") + ", " + reference("rows", "count") + ", " +
                 reference("cols", "count") + ", " + reference("status", "status") + ", " +
                 reference("metrics", "metrics") +
                 R"(, "singular_values": {"anyOf": [{"$ref": "#/$defs/numbers"}, {"type": "null"}]})" +
                 R"(, "log10_singular_values": {"anyOf": [{"$ref": "#/$defs/numbers"}, {"type": "null"}]}, )" +
                 reference("spectrum", "spectrum") + ", " + reference("density", "density") + ", " +
                 reference("profile", "profile") + ", " + reference("theory", "theory_of_row"),
             keys + R"(, "blocks", "seed", "dimension", "status", "metrics", "spectrum")") +
         "," +
         object_definition(
             "failure",
             labels + ",\n        " + seed + R"(, "kind": {"type": "string"}, "message": {"type": "string"})",
             keys + R"(, "seed", "kind", "message")") +
         "," +
         object_definition("failure_line",
                           constant("kind", "failure") + "," + labels + ",\n        " + seed +
                               R"(, "failure_kind": {"type": "string"}, "message": {"type": "string"})",
                           R"("kind", )" + keys + R"(, "seed", "failure_kind", "message")") +
         "," +
         object_definition("summary_row",
                           labels + ",\n        " + blocks + ", " + reference("metrics", "metric_summaries") +
                               ", " + reference("theory", "theory_summary"),
                           keys + R"(, "blocks", "metrics")") +
         "," +
         object_definition("culprit",
                           reference("block", "count") + R"(, "parameter": {"type": "string"}, )" +
                               reference("value", "number_or_null") + R"(, "reason": {"type": "string"})",
                           R"("block", "parameter", "value", "reason")") +
         "," +
         object_definition(
             "check", constant("kind", "check") + "," + labels + "," + Text(check_properties),
             keys +
                 R"(, "seed", "check", "pass", "severity", "value", "log10_value", "bound", "quantity", )" +
                 R"("culprit_count", "culprits", "message")");
}

const Text head = reference("tool", "tool") + ", " + reference("plan", "plan");
const Text tail = list_of("failures", "failure") + ", " + reference("run", "run");

/// Of several files, the verdict about each.
const Text checkpoints = list_of("checkpoints", "checkpoint_verdict") + ", ";

Text document_definitions() {
  return object_definition("checkpoint_verdict",
                           R"("stack": {"type": "string"}, )" + reference("checkpoint", "count") +
                               R"(, "pass": {"type": "boolean"})",
                           R"("stack", "checkpoint", "pass")") +
         "," +
         object_definition(
             "report",
             constant("schema", report_format) + ", " + head + ", " +
                 list_of("metrics", "metric_definition") + ", " + list_of("results", "result") + ", " +
                 list_of("summary", "summary_row") + ", " + tail,
             R"("schema", "tool", "plan", "metrics", "results", "summary", "failures", "run")") +
         "," +
         object_definition("verdict",
                           constant("schema", verdict_format) + ", " + head +
                               R"(, "pass": {"type": "boolean"}, )" + checkpoints +
                               list_of("checks", "check") + ", " + tail,
                           R"("schema", "tool", "plan", "pass", "checks", "failures", "run")");
}

Text line_definitions() {
  const Text formats =
      "\"schema\": {\"enum\": [\"" + Text(report_format) + "\", \"" + Text(verdict_format) + "\"]}";
  return object_definition("context_line",
                           constant("kind", "context") + ", " + formats + ", " + head + ", " +
                               list_of("metrics", "metric_definition"),
                           R"("kind", "schema", "tool", "plan")") +
         "," +
         object_definition("summary_line",
                           constant("kind", "summary") + ", " + list_of("summary", "summary_row") +
                               R"(, "pass": {"type": "boolean"}, )" + checkpoints + tail,
                           R"("kind", "failures", "run")") +
         R"(,
    "line": {"oneOf": [{"$ref": "#/$defs/context_line"}, {"$ref": "#/$defs/failure_line"},
      {"$ref": "#/$defs/summary_line"},
      {"allOf": [{"$ref": "#/$defs/result"}, {"required": ["kind"]}]},
      {"allOf": [{"$ref": "#/$defs/check"}, {"required": ["kind"]}]}]})";
}

Text definitions() {
  return Text(scalar_definitions) + "," + Text(context_definitions) + "," + table_definitions() + "," +
         spectrum_definition() + "," + Text(density_definition) + "," + Text(profile_definition) + "," +
         Text(recipe_definition) + "," + theory_definitions() + "," + plan_definition() + "," +
         row_definitions() + "," + document_definitions() + "," + line_definitions();
}

}  // namespace

const std::vector<std::string_view>& schema_names() {
  static const std::vector<std::string_view> names = {"report", "verdict", "ndjson", "plan"};
  return names;
}

std::string report_schema(std::string_view name) {
  bool known = false;
  for (const std::string_view candidate : schema_names()) known = known || candidate == name;
  if (!known) throw UsageError(unknown_name_message("schema", name, schema_names()));
  const Text root(name == "ndjson" ? "line" : name);
  return "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": "
         "\"rezero-analyze " +
         Text(name) + "\",\n  \"$ref\": \"#/$defs/" + root + "\",\n  \"$defs\": {" + definitions() +
         "\n  }\n}\n";
}

}  // namespace rezero
