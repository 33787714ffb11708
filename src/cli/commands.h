#pragma once
/// The commands. Each takes its arguments and gives an exit code; errors are thrown.

#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"

namespace rezero::cli {

using Arguments = std::vector<std::string>;

int analyze_command(const Arguments& args, const Environment& env);
int verify_command(const Arguments& args, const Environment& env);
int list_command(const Arguments& args, const Environment& env);
int export_command(const Arguments& args, const Environment& env);
int schema_command(const Arguments& args, const Environment& env);

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&, const Environment&);
};

/// In the order of help; the analysis itself has no name.
const std::vector<Command>& commands();

}  // namespace rezero::cli
