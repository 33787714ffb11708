#include "rezero/report/schema.h"

#include "cli/command_line.h"
#include "cli/commands.h"
#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

int schema(const Arguments& args, const Environment& env) {
  CommandLine line("rezero-analyze schema [" + joined(schema_names(), "|") + "]",
                   "Prints the JSON Schema (draft 2020-12) of the output of the other commands.\n");
  line.positionals(1);
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  const std::string kind =
      parsed->positionals().empty() ? std::string(schema_names().front()) : parsed->positionals().front();
  return print(env, report_schema(kind));
}

}  // namespace

Command command_schema() {
  Command command;
  command.name = "schema";
  command.summary = "the JSON Schema of reports and verdicts";
  command.run = schema;
  return command;
}

}  // namespace rezero::cli
