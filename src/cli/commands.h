#pragma once
/// The commands. Each takes its arguments and returns an exit code; errors are thrown.

#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "rezero/core/registry.h"

namespace rezero::cli {

using Arguments = std::vector<std::string>;

struct Command : Entry {
  int (*run)(const Arguments&, const Environment&) = nullptr;
};

/// In the order of help.
const Registry<Command>& commands();

/// The analysis itself, which runs without a command name.
int analyze(const Arguments& args, const Environment& env);

}  // namespace rezero::cli
