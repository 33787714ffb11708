#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

std::vector<const Listing*> choose(const std::vector<std::string>& names) {
  std::vector<const Listing*> chosen;
  for (const Listing& listing : listings())
    if (names.empty() || names.front() == listing.name) chosen.push_back(&listing);
  if (!chosen.empty()) return chosen;
  std::vector<std::string_view> known;
  for (const Listing& listing : listings()) known.push_back(listing.name);
  throw UsageError(unknown_name_message("list", names.front(), known));
}

int list(const Arguments& args, const Environment& env) {
  std::vector<std::string_view> names;
  for (const Listing& listing : listings()) names.push_back(listing.name);
  CommandLine line(
      "rezero-analyze list [NAME] [options]",
      "Everything that has a name, with its formula, parameters and source. NAME, all by default:\n" +
          joined(names) + ".\n");
  line.positionals(1);
  line.group("Output");
  line.option("--format", "NAME", "text, markdown or json", "text");
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  const std::vector<const Listing*> chosen = choose(parsed->positionals());
  const std::string format = parsed->find("format").value_or("text");
  if (format == "json") return print(env, listings_json(chosen));
  if (format != "text" && format != "markdown")
    throw UsageError(unknown_name_message("format of list", format, {"text", "markdown", "json"}));
  std::string text;
  for (const Listing* listing : chosen) {
    if (!text.empty()) text += "\n";
    text += format == "text" ? listing_text(*listing) : listing_markdown(*listing);
  }
  return print(env, text);
}

}  // namespace

Command command_list() {
  Command command;
  command.name = "list";
  command.summary = "schemes, families, activations and everything else that has a name";
  command.run = list;
  return command;
}

}  // namespace rezero::cli
