#pragma once
/// Options for the run of a plan and the destination of its report, shared by analysis and verify.

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/environment.h"
#include "rezero/analysis/sweep.h"
#include "rezero/report/renderer.h"

namespace rezero::cli {

void add_run_options(CommandLine& line);
void add_output_options(CommandLine& line, ReportKind kind);

struct RunSettings {
  int threads = 1;
  std::optional<std::string> output;  ///< path
  std::string format;
  std::string progress = "auto";
  bool quiet = false, dry_run = false, dump_plan = false;
};

/// UsageError for invalid numbers and names.
RunSettings run_settings(const ParsedLine& line, ReportKind kind, const Environment& env);

/// --dump-plan, --dry-run, or the run itself with its report. Returns the exit code. MemoryError, before
/// anything large is allocated, if not even one worker would fit.
int execute(const SweepPlan& plan, ReportKind kind, const RunSettings& settings, const Environment& env);

}  // namespace rezero::cli
