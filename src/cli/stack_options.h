#pragma once
/// The options that describe stacks and spectra, shared by the commands.

#include <limits>

#include "cli/command_line.h"
#include "rezero/config/resolve.h"

namespace rezero::cli {

/// What the stacks are for: it decides what help gives as defaults.
enum class StackUse { analysis, verify, one_stack };

void add_stack_options(CommandLine& line, StackUse use);
void add_spectrum_options(CommandLine& line);  ///< the analysis's own: method, ends, values, profile

/// --config as the base, the other options over it; nothing read but the configuration file. UsageError if -o
/// is a file that the plan reads.
PlanOptions plan_options(const ParsedLine& line);

/// Resolved, with files read. MemoryError, before it is taken, where reading them needs more memory.
SweepPlan read_plan(const PlanOptions& options, PlanUse use,
                    Real max_memory = std::numeric_limits<Real>::infinity());

}  // namespace rezero::cli
