#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/stack_options.h"
#include "cli/tool_info.h"

namespace rezero::cli {
namespace {

std::string footer() {
  std::string text = "Commands:\n";
  for (const Command& command : commands()) {
    std::string name = "  rezero-analyze " + std::string(command.name);
    name.resize(28, ' ');
    text += name + std::string(command.summary) + "\n";
  }
  return text +
         "\nExamples:\n"
         "  rezero-analyze --scheme rezero,residual,fixed:alpha=0.1,depth-power --depth 1:64:x2 --width 128\n"
         "  rezero-analyze --scheme depth-power --seed 0:15 --profile -o report.json\n"
         "  rezero-analyze --scheme plain --family dense --activation tanh --init gaussian:sigma_w=0.5:2:0.1 "
         "-o "
         "phase.csv\n"
         "  rezero-analyze --onnx 'ckpt/step_*.onnx' --input x.npy --profile -o training.json\n"
         "  rezero-analyze --format ndjson | jq -c 'select(.kind == \"result\") | [.scheme, .depth, "
         ".metrics.sigma_max]'\n"
         "\nGated (glu) and relu_squared branches are of degree 2: with unscaled residual blocks their "
         "states overflow\n"
         "within about ten blocks, and those depths are reported as failed.\n"
         "\nExit codes: 0 done, 2 usage, 3 file, 4 a cell failed (the report is written), 5 refused for "
         "memory.\n";
}

}  // namespace

int analyze(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze [options]",
      "Exact input-output Jacobians of random residual stacks x' = skip x + branch_scale F(x), and their\n"
      "singular spectra against depth. Without options: four schemes at width 64, depths 1 to 64.\n",
      footer());
  add_plan_options(line, detail::OptionUse::analysis);
  add_run_options(line);
  add_output_options(line, ReportKind::report);
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  if (parsed->has("version")) return print(env, version_text());
  if (const auto layouts = layouts_text(*parsed)) return print(env, *layouts);
  const RunSettings settings = run_settings(*parsed, ReportKind::report, env);
  return execute(read_plan(plan_options(*parsed), PlanUse::analysis), ReportKind::report, settings, env);
}

}  // namespace rezero::cli
