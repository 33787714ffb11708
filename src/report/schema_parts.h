#pragma once
/// Building blocks of schemas: JSON text of `"name": {…}` members, for `$defs` or `properties`. A list of
/// required keys contains all keys that are always present.

#include <string>
#include <string_view>

#include "rezero/core/words.h"

namespace rezero::detail {

extern const std::string_view scalar_definitions;   ///< number_or_null, text_or_null, seed
extern const std::string_view context_definitions;  ///< tool, run, metric_definition
extern const std::string_view density_definition;
extern const std::string_view profile_definition;
extern const std::string_view recipe_definition;
extern const std::string_view check_properties;

std::string spectrum_definition();
/// Members of every row: its labels and `depth`; and those that are always present, for `required`.
std::string label_properties();
std::string label_keys();
/// Definitions that depend on the table of metrics: metrics, metric_summaries; status.
std::string table_definitions();

/// Predictions: theory_of_row, theory_summary and their parts.
std::string theory_definitions();

/// The plan, whose keys are the options.
std::string plan_definition();

/// `{"enum": ["zero", "circular"]}`.
inline std::string enumeration(const std::vector<std::string_view>& words) {
  return "{\"enum\": [\"" + joined(words, "\", \"") + "\"]}";
}
template <class T>
std::string enumeration() {
  return enumeration(choices<T>());
}

/// A closed object: `"name": {"type": "object", …}`; `required` is a list of quoted keys.
std::string object_definition(std::string_view name, const std::string& properties,
                              const std::string& required);

}  // namespace rezero::detail
