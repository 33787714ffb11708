#include "cli/cli_support.h"
#include "cli/commands.h"
#include "rezero/report/schema.h"

namespace rezero {
namespace {

/// All commands; the analysis is the one without a name.
std::vector<std::string> commands() {
  std::vector<std::string> names = {""};
  for (const cli::Command& command : cli::commands()) names.emplace_back(command.name);
  return names;
}

Args with_command(const std::string& command, Args args) {
  if (!command.empty()) args.insert(args.begin(), command);
  return args;
}

std::string help(const std::string& command) {
  const Ran got = ran(with_command(command, {"--help"}));
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.err, "");
  return got.out;
}

TEST(CliHelp, IsTheCommittedText) {
  for (const std::string& command : commands())
    expect_golden("help" + (command.empty() ? "" : "_" + command) + ".txt", help(command));
}

TEST(CliHelp, LinesFitATerminal) {
  for (const std::string& command : commands()) {
    std::istringstream lines(help(command));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 112u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
}

TEST(CliHelp, ShortFormAnywhereIsTheSame) {
  EXPECT_EQ(ran({"-h"}).out, help(""));
  EXPECT_EQ(ran({"-qh"}).out, help(""));
  EXPECT_EQ(ran({"verify", "--scheme", "rezero", "-h"}).out, help("verify"));
}

/// Every option named in help exists: without a value, it asks for one, and there is no "unknown option".
TEST(CliHelp, OptionsOfHelpExist) {
  for (const std::string& command : commands()) {
    std::istringstream lines(help(command));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find("--");
      if (line.substr(0, 2) != "  " || at == std::string::npos || at > 6) continue;
      const std::string option = line.substr(at, line.find_first_of(" \n", at) - at);
      const Ran got = ran(with_command(command, {option, "--help"}));
      EXPECT_FALSE(contains(got.err, "unknown")) << command << " " << option << ": " << got.err;
      EXPECT_TRUE(got.code == 0 || got.code == 2);
    }
  }
}

TEST(CliVersion, NamesToolAndLibraries) {
  const Ran got = ran({"--version"});
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.out.substr(0, 15), "rezero-analyze ");
  EXPECT_TRUE(contains(got.out, "Eigen 3.")) << got.out;
}

TEST(CliList, IsTheCommittedText) {
  REZERO_SKIP_WITH_LAPACKE();
  expect_golden("list.txt", ran({"list"}).out);
  expect_golden("list_checks.md", ran({"list", "checks", "--format", "markdown"}).out);
  expect_golden("list_families.json", ran({"list", "families", "--format=json"}).out);
}

TEST(CliList, EveryNameOfJsonIsOneThatOptionsTake) {
  const Json all = ran({"list", "--format", "json"}).json();
  for (const Json& scheme : all["schemes"]) {
    const std::string name = scheme["name"];
    const std::string families = scheme.value("defined_for", "mlp");
    const std::string family = families.substr(0, families.find(','));
    EXPECT_EQ(ran({"--scheme", name, "--family", family, "--dump-plan"}).code, 0) << name;
  }
  for (const Json& family : all["families"]) {
    const std::string name = family["name"];
    EXPECT_EQ(ran({"--family", name, "--dump-plan"}).code, 0) << name;
  }
  for (const Json& activation : all["activations"]) {
    const std::string name = activation["name"];
    EXPECT_EQ(ran({"--activation", name, "--dump-plan"}).code, 0) << name;
  }
  for (const Json& initializer : all["initializers"]) {
    const std::string name = initializer["name"];
    EXPECT_EQ(ran({"--init", name, "--dump-plan"}).code, 0) << name;
  }
  for (const Json& check : all["checks"]) {
    const std::string name = check["name"];
    EXPECT_EQ(ran({"verify", "--scheme", "rezero", "--check", name, "--dump-plan"}).code, 0) << name;
  }
  for (const Json& format : all["formats"]) {
    const std::string name = format["name"];
    EXPECT_EQ(ran({"--format", name, "--dump-plan"}).code, 0) << name;
  }
}

TEST(CliSchema, PrintsEverySchema) {
  for (const std::string_view name : schema_names())
    EXPECT_TRUE(ran({"schema", std::string(name)}).json().contains("$schema")) << name;
  EXPECT_EQ(ran({"schema"}).out, ran({"schema", "report"}).out);
}

}  // namespace
}  // namespace rezero
