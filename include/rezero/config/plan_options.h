#pragma once
/// The options as written on the command line or in a plan file, before defaults.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero {

/// An amount of memory, written as `4G` or as a number.
struct Bytes {
  Real count = 0;
};

/// Members have the names of the long options; an absent value was not written. Names are kept as text and
/// resolved by resolve_plan. Everything else about an option is in its row of the option table
/// (src/config/options.h).
struct PlanOptions {
  std::optional<std::vector<std::string>> scheme;
  std::optional<std::string> family;
  std::optional<std::vector<Index>> depth, width;
  std::optional<Real> hidden_ratio;
  std::optional<std::vector<std::string>> activation, init;
  std::optional<bool> tied;
  std::optional<std::vector<std::uint64_t>> seed;
  std::optional<Index> tokens, heads, kv_heads;
  std::optional<bool> causal, rope;
  std::optional<std::string> qk_norm;  ///< a norm's name
  std::optional<std::string> image;    ///< HEIGHTxWIDTH
  std::optional<Index> batch, kernel;
  std::optional<std::string> padding, order, norm, bn_statistics, shortcut;
  std::optional<bool> bottleneck, outer_activation;
  std::optional<std::vector<Index>> stages, widths;  ///< in order, as 18,18,18
  std::optional<std::string> wrt, of;                ///< token:i
  std::optional<bool> final_norm;
  /// normal, sphere, ones, or the path of an .npy file (.pb for a graph); with several stacks or models, also
  /// a list of paths or a pattern
  std::optional<std::string> input;
  std::optional<std::vector<std::string>> stack, checkpoint, onnx;  ///< paths or patterns
  std::optional<std::string> layout;                                ///< NAME:P=V
  std::optional<std::vector<std::string>> leave_out;                ///< names, or their first components
  std::optional<std::string> from, to;                              ///< tensors of the graph
  std::optional<std::vector<std::string>> feed, dim;                ///< NAME=FILE, NAME=SIZE
  std::optional<std::string> block_pattern;                         ///< a regular expression
  std::optional<std::string> method;
  std::optional<Index> top, bottom;
  std::optional<std::string> values;
  std::optional<bool> profile;
  std::optional<bool> theory;
  std::optional<std::string> cotangent;
  std::optional<std::vector<std::string>> check;
  std::optional<std::string> expect_scheme, expect_init;  ///< names with parameters
  std::optional<Real> expect_level;
  std::optional<Bytes> max_memory;
  /// Files that a plan file lists with their hashes; different content is an error. Not set by any option.
  std::vector<InputFile> files;
  /// Nodes of a graph that drew a Dropout mask from the seed: said in plans of reports, and not read back.
  std::vector<std::string> dropout;
};

/// Field by field; values in `over` take precedence.
PlanOptions merge(const PlanOptions& base, const PlanOptions& over);

/// Reads a plan object, or the `plan` of a report, verdict or ndjson stream. Keys are the options' names in
/// snake_case. A list may be an array, one value, or the option's text (`"1:64:x2"`); seeds are strings, or
/// numbers up to 2^53. IoError with the path of the bad field: `plan 'x.json': plan.depth[2]: …`; errors for
/// unknown keys and names include a suggestion.
PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name);

}  // namespace rezero
