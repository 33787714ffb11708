#include "report/schema_parts.h"

#include "config/options.h"
#include "report/published_values.h"
#include "rezero/analysis/labels.h"
#include "rezero/analysis/metric.h"

namespace rezero::detail {

const std::string_view scalar_definitions = R"(
    "number_or_null": {"type": ["number", "null"]},
    "text_or_null": {"type": ["string", "null"]},
    "count": {"type": "integer", "minimum": 0},
    "depth": {"type": "integer", "minimum": 1},
    "seed": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,19})$"},
    "seed_or_null": {"type": ["string", "null"], "pattern": "^(0|[1-9][0-9]{0,19})$"},
    "numbers": {"type": "array", "items": {"$ref": "#/$defs/number_or_null"}},
    "names": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "size": {"type": "integer", "minimum": 1},
    "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}, "minItems": 1},
    "token": {"type": "string", "pattern": "^token:(0|[1-9][0-9]*)$"})";

const std::string_view context_definitions = R"(
    "tool": {"type": "object", "additionalProperties": false,
      "required": ["name", "version", "git", "compiler", "flags", "eigen", "spectra", "blas"],
      "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "git": {"type": "string"},
        "compiler": {"type": "string"}, "flags": {"type": "string"}, "eigen": {"type": "string"},
        "spectra": {"type": "string"}, "blas": {"type": "string"}}},
    "run": {"type": "object", "additionalProperties": false,
      "required": ["started_at_utc", "wall_seconds", "threads", "host", "peak_bytes"],
      "properties": {"started_at_utc": {"type": "string"}, "wall_seconds": {"type": "number", "minimum": 0},
        "threads": {"type": "integer", "minimum": 1}, "host": {"type": "string"},
        "peak_bytes": {"$ref": "#/$defs/count"}}},
    "metric_definition": {"type": "object", "additionalProperties": false,
      "required": ["name", "unit", "definition", "source"],
      "properties": {"name": {"type": "string"}, "unit": {"type": "string"}, "definition": {"type": "string"},
        "source": {"type": "string"}}})";

namespace {

std::string schema_of(const Label& label) {
  if (!label.words.empty()) return enumeration(label.words);
  const bool nullable = label.where_absent == WhereAbsent::null;
  switch (label.type) {
    case LabelType::text:
      return nullable ? R"({"$ref": "#/$defs/text_or_null"})" : R"({"type": "string"})";
    case LabelType::size:
      return nullable ? R"({"type": ["integer", "null"], "minimum": 1})" : R"({"$ref": "#/$defs/size"})";
    case LabelType::place:
      return nullable ? R"({"type": ["integer", "null"], "minimum": 0})" : R"({"$ref": "#/$defs/count"})";
    case LabelType::params:
      return R"({"type": ["object", "null"], "additionalProperties": {"type": ["number", "string", "null"]}})";
  }
  return {};
}

}  // namespace

std::string label_properties() {
  std::string properties;
  for (const Label& label : labels())
    properties += "\n        \"" + std::string(label.key) + "\": " + schema_of(label) + ",";
  return properties + R"(
        "depth": {"$ref": "#/$defs/depth"})";
}

std::string label_keys() {
  std::string keys;
  for (const Label& label : labels())
    if (label.where_absent == WhereAbsent::null) keys += "\"" + std::string(label.key) + "\", ";
  return keys + "\"depth\"";
}

std::string spectrum_definition() {
  return R"(
    "spectrum": {"type": "object", "additionalProperties": false,
      "required": ["method", "part", "relative_resolution", "forming_error", "certified", "unresolved", "null_directions",
                   "out_of_range", "applications", "fallbacks"],
      "properties": {"method": {"type": "string"}, "choice": {"type": "string"},
        "part": )" +
         enumeration<SpectrumPart>() + R"(,
        "leading": {"$ref": "#/$defs/count"},
        "extremal": )" +
         enumeration<Extremal>() + R"(,
        "multiplicity": )" +
         enumeration<Multiplicity>() + R"(,
        "relative_resolution": {"type": "number", "minimum": 0},
        "forming_error": {"type": "number", "minimum": 0},
        "relative_error_estimate": {"type": "number", "minimum": 0},
        "certified": {"type": "boolean"},
        "unresolved": {"$ref": "#/$defs/count"},
        "null_directions": {"$ref": "#/$defs/count"},
        "out_of_range": {"$ref": "#/$defs/count"},
        "applications": {"$ref": "#/$defs/count"},
        "right_residuals": {"$ref": "#/$defs/numbers"}, "left_residuals": {"$ref": "#/$defs/numbers"},
        "fallbacks": {"type": "array", "items": {"type": "object", "additionalProperties": false,
          "required": ["method", "reason"],
          "properties": {"method": {"type": "string"}, "reason": {"type": "string"}}}},
        "message": {"type": "string"}}})";
}

const std::string_view density_definition = R"(
    "density": {"type": "object", "additionalProperties": false,
      "required": ["converged", "probes", "steps", "target", "sampling_distance", "steps_distance", "mean_square",
                   "mean_square_stderr", "mean_fourth", "log10_sigma", "cdf", "cdf_stderr", "histogram"],
      "properties": {"converged": {"type": "boolean"},
        "probes": {"$ref": "#/$defs/count"}, "steps": {"$ref": "#/$defs/count"},
        "target": {"type": "number"}, "sampling_distance": {"type": "number"}, "steps_distance": {"type": "number"},
        "mean_square": {"$ref": "#/$defs/number_or_null"}, "mean_square_stderr": {"$ref": "#/$defs/number_or_null"},
        "mean_fourth": {"$ref": "#/$defs/number_or_null"},
        "log10_sigma": {"$ref": "#/$defs/numbers"}, "cdf": {"$ref": "#/$defs/numbers"},
        "cdf_stderr": {"$ref": "#/$defs/numbers"}, "histogram": {"$ref": "#/$defs/numbers"}}})";

const std::string_view profile_definition = R"(
    "profile": {"type": "object", "additionalProperties": false,
      "required": ["forward_rms", "log10_forward_rms", "branch_norm", "log10_branch_norm", "gradient_square",
                   "log10_gradient_square", "gate_gradient", "log10_gate_gradient", "skip_scale", "branch_scale"],
      "properties": {"forward_rms": {"$ref": "#/$defs/numbers"}, "log10_forward_rms": {"$ref": "#/$defs/numbers"},
        "branch_norm": {"$ref": "#/$defs/numbers"}, "log10_branch_norm": {"$ref": "#/$defs/numbers"},
        "gradient_square": {"$ref": "#/$defs/numbers"}, "log10_gradient_square": {"$ref": "#/$defs/numbers"},
        "gate_gradient": {"$ref": "#/$defs/numbers"}, "log10_gate_gradient": {"$ref": "#/$defs/numbers"},
        "skip_scale": {"$ref": "#/$defs/numbers"}, "branch_scale": {"$ref": "#/$defs/numbers"}}})";

std::string theory_definitions() {
  std::string predicted, keys;
  for (const theory::PredictionKind& kind : theory::predictions()) {
    const std::string key = "\"" + std::string(kind.name) + "\"", separator = keys.empty() ? "" : ", ";
    keys += separator + key;
    predicted += separator + key + R"(: {"$ref": "#/$defs/number_or_null"})";
  }
  const std::string number = R"({"$ref": "#/$defs/number_or_null"})",
                    numbers = R"({"$ref": "#/$defs/numbers"})";
  return object_definition("predicted", predicted, keys) + "," + R"(
    "theory_of_row": {"type": "object", "additionalProperties": false,
      "oneOf": [{"required": ["reason"]}, {"required": ["predicted", "kolmogorov_distance"]}],
      "properties": {"reason": {"type": "string"}, "predicted": {"$ref": "#/$defs/predicted"}, "kolmogorov_distance": )" +
         number + R"(}},
    "spectral_law": {"type": "object", "additionalProperties": false,
      "required": ["method", "mass", "atom_at_zero", "atom_at_one", "log10_upper_edge", "log10_lower_edge",
                   "log10_sigma", "density", "cdf"],
      "properties": {"method": {"type": "string"}, "mass": {"type": "number"}, "atom_at_zero": {"type": "number"},
        "atom_at_one": {"type": "number"}, "log10_upper_edge": )" +
         number + R"(, "log10_lower_edge": )" + number + R"(,
        "log10_sigma": )" +
         numbers + R"(, "density": )" + numbers + R"(, "cdf": )" + numbers + R"(}},
    "comparison": {"type": "object", "additionalProperties": false,
      "required": ["name", "predicted", "verdict", "statistic_name", "statistic", "low", "high", "disagrees_beyond",
                   "level", "reason"],
      "properties": {"name": {"type": "string"}, "predicted": )" +
         number + R"(, "verdict": )" + enumeration<theory::Verdict>() + R"(,
        "statistic_name": {"type": "string"}, "statistic": )" +
         number + R"(, "low": )" + number + R"(, "high": )" + number + R"(, "disagrees_beyond": )" + number +
         R"(,
        "level": )" +
         number + R"(, "reason": {"type": "string"}}},
    "theory_summary": {"type": "object", "additionalProperties": false, "required": ["verdict"],
      "oneOf": [{"required": ["reason"]}, {"required": ["predicted", "comparisons"]}],
      "properties": {"verdict": )" +
         enumeration<theory::Verdict>() + R"(, "reason": {"type": "string"},
        "comparisons": {"type": "array", "items": {"$ref": "#/$defs/comparison"}},
        "predicted": {"$ref": "#/$defs/predicted"}, "spectrum": {"$ref": "#/$defs/spectral_law"},
        "no_spectrum": {"type": "string"}, "log10_forward_rms": )" +
         numbers + R"(, "log10_gradient_square": )" + numbers + R"(, "log10_gate_gradient_square": )" +
         numbers + R"(, "rank_fraction": )" + numbers + "}}";
}

const std::string_view check_properties = R"(
        "seed": {"$ref": "#/$defs/seed_or_null"},
        "check": {"type": "string"},
        "pass": {"type": "boolean"},
        "severity": {"enum": ["error", "warning"]},
        "value": {"$ref": "#/$defs/number_or_null"},
        "log10_value": {"$ref": "#/$defs/number_or_null"},
        "bound": {"type": "number"},
        "quantity": {"type": "string"},
        "culprit_count": {"$ref": "#/$defs/count"},
        "culprits": {"type": "array", "maxItems": 10, "items": {"$ref": "#/$defs/culprit"}},
        "message": {"type": "string"},
        "recipe": {"$ref": "#/$defs/recipe"})";

const std::string_view recipe_definition = R"(
    "recipe": {"type": "object", "additionalProperties": false,
      "required": ["scheme", "init", "family", "level", "level_of_tensor", "constants", "compares_wiring",
                   "without_bias", "unmatched", "tensors"],
      "properties": {"scheme": {"type": "string"}, "init": {"type": "string"}, "family": {"type": "string"},
        "level": {"type": "number"}, "level_of_tensor": {"type": "number"},
        "constants": {"$ref": "#/$defs/count"}, "compares_wiring": {"type": "boolean"},
        "without_bias": {"type": "array", "items": {"type": "string"}},
        "unmatched": {"type": "array", "items": {"type": "string"}},
        "tensors": {"type": "array", "items": {"type": "object", "additionalProperties": false,
          "required": ["block", "tensor", "law", "count", "rms", "expected_rms", "rms_low", "rms_high", "mean",
                       "mean_bound", "pass"],
          "properties": {"block": {"$ref": "#/$defs/count"}, "tensor": {"type": "string"},
            "law": {"enum": ["zero", "normal", "truncated-normal", "uniform", "fixed-square"]},
            "count": {"$ref": "#/$defs/count"},
            "rms": {"$ref": "#/$defs/number_or_null"}, "expected_rms": {"type": "number"},
            "rms_low": {"$ref": "#/$defs/number_or_null"}, "rms_high": {"$ref": "#/$defs/number_or_null"},
            "mean": {"$ref": "#/$defs/number_or_null"}, "mean_bound": {"$ref": "#/$defs/number_or_null"},
            "pass": {"type": "boolean"}}}}}})";

std::string plan_definition() {
  return R"(
    "plan": {"type": "object", "additionalProperties": false,
      "required": ["depth", "method", "files"],
      "oneOf": [{"required": ["scheme", "family", "tied", "seed", "input"],
                 "anyOf": [{"required": ["width"]}, {"required": ["stages", "widths"]}]},
                {"required": ["stack"]}, {"required": ["onnx", "from", "to", "seed", "input"]},
                {"required": ["checkpoint", "layout", "heads", "tokens", "activation", "seed", "input"]}],
      "properties": {)" +
         plan_schema_properties() + R"(,
        "dropout": {"$ref": "#/$defs/names"}, "files": {"type": "array", "items": {"type": "object", "additionalProperties": false,
          "required": ["path", "sha256"],
          "properties": {"path": {"type": "string"}, "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}}}}})";
}

std::string object_definition(std::string_view name, const std::string& properties,
                              const std::string& required) {
  return "\n    \"" + std::string(name) + "\": {\"type\": \"object\", \"additionalProperties\": false,\n" +
         "      \"required\": [" + required + "],\n      \"properties\": {" + properties + "}}";
}

std::string table_definitions() {
  std::string values, summaries, keys;
  for (const Metric& metric : metrics()) {
    const std::string key = "\"" + std::string(metric.name) + "\"", separator = keys.empty() ? "" : ", ";
    keys += separator + key;
    values += separator + key + R"(: {"$ref": "#/$defs/number_or_null"})";
    summaries += separator + key + R"(: {"$ref": "#/$defs/metric_summary"})";
  }
  const std::string number = R"({"$ref": "#/$defs/number_or_null"})";
  return object_definition("metrics", values, keys) + "," +
         object_definition("metric_summary",
                           "\"mean\": " + number + ", \"stderr\": " + number + ", \"min\": " + number +
                               ", \"max\": " + number + R"(, "count": {"$ref": "#/$defs/count"})",
                           R"("mean", "stderr", "min", "max", "count")") +
         "," + object_definition("metric_summaries", summaries, keys) +
         ",\n    \"status\": " + enumeration<RowStatus>();
}

}  // namespace rezero::detail
