#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/inspection.h"
#include "config/options.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

/// The options that choose a part of the graph and its inputs.
std::vector<detail::PlanOption> graph_rows() {
  std::vector<detail::PlanOption> rows;
  detail::for_each_option(detail::option_table(), [&](const detail::PlanOption& option) {
    if ((option.graph_only && option.name != "onnx") || option.name == "input") rows.push_back(option);
  });
  return rows;
}

int inspect(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze inspect FILE [options]",
      "What an ONNX model consists of: inputs, outputs, operators, residual blocks and their gates.\n",
      "Examples:\n"
      "  rezero-analyze inspect model.onnx\n"
      "  rezero-analyze inspect model.onnx --dim batch=1,sequence=8 --format json\n");
  line.positionals(1);
  line.group("ONNX models");
  for (const detail::PlanOption& option : graph_rows()) {
    line.option(option.shown(), option.value_name(detail::OptionUse::analysis),
                option.help_text(detail::OptionUse::analysis),
                option.default_in(detail::OptionUse::analysis));
    if (option.repeats) line.repeatable(option.shown());
  }
  line.group("Output");
  line.option("--format", "NAME", "text or json", "text");
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  if (parsed->positionals().empty()) throw UsageError("inspect needs the path of an ONNX model");
  PlanOptions options;
  options.onnx = parsed->positionals();
  for (const detail::PlanOption& option : graph_rows())
    if (const auto text = parsed->find(std::string(option.name))) option.parse(*text, options);
  const std::string format = parsed->find("format").value_or("text");
  if (format != "text" && format != "json")
    throw UsageError(unknown_name_message("format of inspect", format, {"text", "json"}));
  const Inspection seen = inspect_model(options);
  return print(env, format == "json" ? inspection_json(seen) : inspection_text(seen));
}

}  // namespace

Command command_inspect() {
  Command command;
  command.name = "inspect";
  command.summary = "what an ONNX model consists of, and the residual blocks in it";
  command.run = inspect;
  return command;
}

}  // namespace rezero::cli
