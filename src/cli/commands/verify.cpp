#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/stack_options.h"
#include "cli/tool_info.h"

namespace rezero::cli {
namespace {

int verify(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze verify [options]",
      "Checks claims about stacks at initialization and names the blocks and parameters at fault.\n",
      "Examples:\n"
      "  rezero-analyze verify --scheme rezero --depth 200 --width 64\n"
      "  rezero-analyze verify --stack model.safetensors --check identity:tol=1e-6,alive\n"
      "\nExit codes: 0 all pass, 1 a check fails, 2 usage, 3 file, 4 a cell failed, 5 refused for memory.\n");
  add_plan_options(line, detail::OptionUse::verify);
  add_run_options(line);
  add_output_options(line, ReportKind::verdict);
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  if (parsed->has("version")) return print(env, version_text());
  if (const auto layouts = layouts_text(*parsed)) return print(env, *layouts);
  const RunSettings settings = run_settings(*parsed, ReportKind::verdict, env);
  return execute(read_plan(plan_options(*parsed), PlanUse::verify), ReportKind::verdict, settings, env);
}

}  // namespace

Command command_verify() {
  Command command;
  command.name = "verify";
  command.summary = "check claims about stacks at initialization; exit code 1 if one fails";
  command.run = verify;
  return command;
}

}  // namespace rezero::cli
