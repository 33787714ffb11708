#include "cli/checkpoint_inspection.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/inspection.h"
#include "cli/stack_options.h"
#include "config/options.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

/// The options that say how a checkpoint is read.
std::vector<detail::PlanOption> checkpoint_rows() {
  std::vector<detail::PlanOption> rows;
  detail::for_each_option(detail::option_table(), [&](const detail::PlanOption& option) {
    if ((option.checkpoint_only && option.name != "checkpoint") || option.name == "heads")
      rows.push_back(option);
  });
  for (detail::PlanOption& option : rows) option.otherwise = {};  // there is no default number of heads
  return rows;
}

/// Sets the written options of the rows. UsageError for options of the other kind of file.
void parse(const ParsedLine& line, const std::vector<detail::PlanOption>& rows,
           const std::vector<detail::PlanOption>& others, const std::string& kind, PlanOptions& options) {
  for (const detail::PlanOption& option : rows)
    if (const auto text = line.find(std::string(option.name))) option.parse(*text, options);
  for (const detail::PlanOption& option : others)
    if (line.has(std::string(option.name))) throw UsageError(option.shown() + " is not for " + kind);
}

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
      "What an ONNX model consists of: inputs, outputs, operators, residual blocks and their gates.\n"
      "Or what a checkpoint (FILE.safetensors) consists of: layout, sizes, gates, tensors outside the "
      "stack.\n",
      "Examples:\n"
      "  rezero-analyze inspect model.onnx\n"
      "  rezero-analyze inspect model.safetensors --layout gpt2\n"
      "  rezero-analyze inspect model.onnx --dim batch=1,sequence=8 --format json\n");
  line.positionals(1);
  add_plan_options(line, detail::OptionUse::analysis,
                   {{"Checkpoints", checkpoint_rows()}, {"ONNX models", graph_rows()}});
  line.group("Output");
  line.option("--format", "NAME", "text or json", "text");
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  if (const auto layouts = layouts_text(*parsed)) return print(env, *layouts);
  if (parsed->positionals().empty())
    throw UsageError("inspect needs the path of an ONNX model or a checkpoint");
  PlanOptions options;
  const std::string path = parsed->positionals().front();
  const std::string format = parsed->find("format").value_or("text");
  if (format != "text" && format != "json")
    throw UsageError(unknown_name_message("format of inspect", format, {"text", "json"}));
  if (ends_with(path, ".safetensors") || parsed->has("layout")) {
    parse(*parsed, checkpoint_rows(), graph_rows(), "checkpoints", options);
    const CheckpointInspection seen = inspect_checkpoint(path, options);
    return print(env, format == "json" ? checkpoint_json(seen) : checkpoint_text(seen));
  }
  options.onnx = parsed->positionals();
  parse(*parsed, graph_rows(), checkpoint_rows(), "ONNX models", options);
  const Inspection seen = inspect_model(options);
  return print(env, format == "json" ? inspection_json(seen) : inspection_text(seen));
}

}  // namespace

Command command_inspect() {
  Command command;
  command.name = "inspect";
  command.summary = "what an ONNX model or a checkpoint consists of, and the residual blocks in it";
  command.run = inspect;
  return command;
}

}  // namespace rezero::cli
