#include "cli/output_path.h"

#include "config/axis_text.h"
#include "config/file_list.h"
#include "config/names.h"
#include "io/same_file.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {

std::optional<std::string> output_path(const ParsedLine& line) {
  const std::optional<std::string> path = line.find("output");
  return path == "-" ? std::nullopt : path;
}

void refuse_output_onto(const ParsedLine& line, const std::string& option, const std::string& input) {
  const std::optional<std::string> output = output_path(line);
  if (output && detail::same_file(*output, input))
    throw UsageError("-o '" + printable(*output) + "' would overwrite the file that " + option + " reads ('" +
                     printable(input) + "'): write to another file");
}

void refuse_output_onto_inputs(const ParsedLine& line, const PlanOptions& options) {
  if (!output_path(line)) return;
  std::size_t stacks = 1;
  for (const auto& [written, option] :
       {std::pair(options.stack, "--stack"), std::pair(options.onnx, "--onnx"),
        std::pair(options.checkpoint, "--checkpoint")}) {
    if (!written) continue;
    const std::vector<std::string> paths = detail::expand_files(*written, options.files, option);
    for (const std::string& path : paths) refuse_output_onto(line, option, path);
    stacks = paths.size();
  }
  for (const std::string& feed : options.feed.value_or(std::vector<std::string>{}))
    refuse_output_onto(line, "--feed", feed.substr(std::min(feed.find('=') + 1, feed.size())));
  if (options.input && detail::input_law(*options.input) == InputLaw::values)
    for (const std::string& path : detail::expand_inputs(*options.input, stacks, options.files))
      refuse_output_onto(line, "--input", path);
  for (const std::string& text : options.scheme.value_or(std::vector<std::string>{})) {
    const SchemeSpec scheme = detail::axis_entry<SchemeSpec>(text).base();
    for (const ParamValue& value : scheme.params().values())
      if (value.kind == ParamKind::series && !value.text.empty())
        refuse_output_onto(line, "--scheme " + std::string(scheme.scheme().name) + ":" + value.name,
                           value.text);
  }
}

}  // namespace rezero::cli
