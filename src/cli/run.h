#pragma once
/// The whole program except its process: arguments in, exit code out.

#include <string>
#include <vector>

#include "cli/environment.h"

namespace rezero::cli {

/// Runs one command line (without the program's name). Errors become one line on `err` and an exit code;
/// Cancelled passes through to the caller, who knows the signal.
int run(const std::vector<std::string>& args, const Environment& env);

}  // namespace rezero::cli
