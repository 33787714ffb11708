#pragma once
/// The options of a plan on the command line, shared by the commands.

#include "cli/command_line.h"
#include "config/options.h"
#include "rezero/config/resolve.h"

namespace rezero::cli {

/// Declares the plan options of the command under their headings.
void add_plan_options(CommandLine& line, detail::OptionUse use,
                      const detail::OptionTable& table = detail::option_table());

/// The plan options that were written.
PlanOptions written_options(const ParsedLine& line,
                            const detail::OptionTable& table = detail::option_table());

/// The explanation that `--layout list` asks for; nothing otherwise.
std::optional<std::string> layouts_text(const ParsedLine& line);

/// --config as the base, overridden by the other options. Reads only the configuration file. UsageError if -o
/// is a file that the plan reads.
PlanOptions plan_options(const ParsedLine& line);

/// Resolved, with files read. MemoryError, before allocation, if reading them needs more memory.
SweepPlan read_plan(const PlanOptions& options, PlanUse use);

}  // namespace rezero::cli
