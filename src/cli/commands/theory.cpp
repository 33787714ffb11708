#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/stack_options.h"
#include "cli/tool_info.h"
#include "config/options.h"
#include "rezero/analysis/cell.h"
#include "rezero/core/error.h"
#include "rezero/report/theory_report.h"

namespace rezero::cli {
namespace {

/// Options that describe random stacks, without those of their draws.
detail::OptionTable stack_rows() {
  detail::OptionTable table;
  for (const detail::OptionGroup& group : detail::option_table()) {
    if (group.heading != "Stacks" && group.heading != "Tokens" && group.heading != "Seeds and input")
      continue;
    table.push_back({group.heading, {}});
    for (detail::PlanOption option : group.options) {
      if (option.name == "stack" || option.name == "seed") continue;
      if (option.name == "input") option.help = "input: normal, sphere, ones, or an .npy file";
      table.back().options.push_back(std::move(option));
    }
  }
  return table;
}

std::vector<PredictionRow> predict(const SweepPlan& plan) {
  const CellList cells(plan);
  std::vector<PredictionRow> rows;
  cells.for_each_kind([&](const CellKind& kind) {
    const CellLabels labels = cells[kind.first_cell].labels;
    for (const Index depth : kind.depths)
      rows.push_back({labels, depth, depth * kind.geometry.blocks_per_layer(),
                      std::make_shared<const theory::Outlook>(theory::outlook(*kind.spec, depth))});
  });
  return rows;
}

int run(const Arguments& args, const Environment& env) {
  const detail::OptionTable table = stack_rows();
  CommandLine line("rezero-analyze theory [options]",
                   "Predictions at infinite width, without drawing a stack: moments and density of singular\n"
                   "values, signals by block. See list theory; rezero-analyze --theory compares.\n",
                   "Examples:\n"
                   "  rezero-analyze theory --family mlp --activation tanh --scheme depth-power --depth 64\n"
                   "  rezero-analyze theory --scheme residual,pre-ln --family mlp --format json\n");
  add_plan_options(line, detail::OptionUse::analysis, table);
  line.group("Output");
  line.option("--format", "NAME", "table or json", "table");
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  const std::string format = parsed->find("format").value_or("table");
  if (format != "table" && format != "json")
    throw UsageError(unknown_name_message("format of theory", format, {"table", "json"}));
  const SweepPlan plan = read_plan(written_options(*parsed, table), PlanUse::analysis);
  ReportContext context;
  context.tool = tool_info();
  context.plan = &plan;
  context.plan_json = plan_json(plan);
  const std::vector<PredictionRow> rows = predict(plan);
  return print(env,
               format == "json" ? theory_report_json(context, rows) : theory_report_table(context, rows));
}

}  // namespace

Command command_theory() {
  Command command;
  command.name = "theory";
  command.summary = "predictions at infinite width, without a run";
  command.run = run;
  return command;
}

}  // namespace rezero::cli
