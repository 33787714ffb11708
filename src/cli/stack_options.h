#pragma once
/// The options of a plan on the command line, shared by the commands.

#include "cli/command_line.h"
#include "config/options.h"
#include "rezero/config/resolve.h"

namespace rezero::cli {

/// Declares the options of a plan that the command has, under their headings.
void add_plan_options(CommandLine& line, detail::OptionUse use,
                      const detail::OptionTable& table = detail::option_table());

/// The options of a plan that are written.
PlanOptions written_options(const ParsedLine& line,
                            const detail::OptionTable& table = detail::option_table());

/// --config as the base, the other options over it; nothing read but the configuration file. UsageError if -o
/// is a file that the plan reads.
PlanOptions plan_options(const ParsedLine& line);

/// Resolved, with files read. MemoryError, before it is taken, where reading them needs more memory.
SweepPlan read_plan(const PlanOptions& options, PlanUse use);

}  // namespace rezero::cli
