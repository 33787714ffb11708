#pragma once
/// The target of -o.

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "rezero/config/plan_options.h"

namespace rezero::cli {

/// The file named by -o; absent for standard output, the default, also written `-o -`.
std::optional<std::string> output_path(const ParsedLine& line);

/// UsageError, naming both options, if -o is the file that `option` reads, under any spelling or link.
void refuse_output_onto(const ParsedLine& line, const std::string& option, const std::string& input);
/// The same for every file that the plan reads.
void refuse_output_onto_inputs(const ParsedLine& line, const PlanOptions& options);

}  // namespace rezero::cli
