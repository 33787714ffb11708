#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/stack_options.h"
#include "cli/tool_info.h"

namespace rezero::cli {

int verify_command(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze verify [options]",
      "Checks claims about stacks at initialization and names the blocks and parameters at fault.\n",
      "Examples:\n"
      "  rezero-analyze verify --scheme rezero --depth 200 --width 64\n"
      "  rezero-analyze verify --stack model.safetensors --check identity:tol=1e-6,alive\n"
      "\nExit codes: 0 all pass, 1 a check fails, 2 usage, 3 file, 4 a cell failed, 5 refused for memory.\n");
  line.group("Checks");
  line.option(
      "--check", "NAME[:P=V],...",
      "identity:tol=0 (max|J - I| and max|f(x) - x|), isometry:tol=0.1 (every singular value), alive (what "
      "switches a branch off gets a gradient), live (no branch is zero unless a parameter is; as=warning "
      "only "
      "reports it)",
      "identity,alive,live:as=warning");
  add_stack_options(line, StackUse::verify);
  line.group("Spectrum");
  line.option("--method", "NAME", "for isometry: auto or dense (see list methods)", "auto");
  line.option("--cotangent", "LAW", "cotangent of the gradients that alive looks at: random or ones",
              "random");
  add_run_options(line);
  add_output_options(line, "json, ndjson or table");
  const auto parsed = line.parse(args);
  if (!parsed) return env.out(line.help()), exit_ok;
  if (parsed->has("version")) return env.out(version_text()), exit_ok;
  const RunSettings settings = run_settings(*parsed, ReportKind::verdict, env);
  return execute(read_plan(plan_options(*parsed), PlanUse::verify, settings.max_memory), ReportKind::verdict,
                 settings, env);
}

}  // namespace rezero::cli
