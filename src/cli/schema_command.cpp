#include "cli/command_line.h"
#include "cli/commands.h"
#include "rezero/report/schema.h"

namespace rezero::cli {

int schema_command(const Arguments& args, const Environment& env) {
  CommandLine line("rezero-analyze schema [report|ndjson|verdict|plan]",
                   "Prints the JSON Schema (draft 2020-12) of what the other commands write.\n");
  line.positionals(1);
  const auto parsed = line.parse(args);
  if (!parsed) return env.out(line.help()), exit_ok;
  const std::string kind = parsed->positionals().empty() ? "report" : parsed->positionals().front();
  env.out(report_schema(kind));
  return exit_ok;
}

}  // namespace rezero::cli
