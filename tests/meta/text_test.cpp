/// Texts that repeat what the code knows: docs/schemes.md is what `list` prints, the tables of options in
/// README.md and docs/schema.md are the rows of the option table.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/run.h"
#include "config/options.h"
#include "meta/source_tree.h"
#include "rezero/analysis/labels.h"
#include "rezero/core/text.h"
#include "rezero/model/scheme.h"
#include "support/optional_methods.h"

namespace rezero {
namespace {

std::string printed(const std::vector<std::string>& args) {
  std::string text;
  cli::Environment env;
  env.out = [&text](std::string_view piece) { text += piece; };
  env.err = [](std::string_view piece) { ADD_FAILURE() << piece; };
  EXPECT_EQ(cli::run(args, env), 0);
  return text;
}

bool updates_golden() {
  const char* wanted = std::getenv("REZERO_UPDATE_GOLDEN");
  return wanted && std::string(wanted) == "1";
}

/// The text between `<!-- begin NAME (…) -->` and `<!-- end NAME -->` is the given one.
void expect_section(const std::string& path, const std::string& name, const std::string& text) {
  const std::string document = file_text(path), end = "<!-- end " + name + " -->";
  const std::size_t opening = document.find("<!-- begin " + name + " ");
  const std::size_t begin = document.find('\n', std::min(opening, document.size())) + 1;
  const std::size_t closing = document.find(end, begin);
  ASSERT_TRUE(opening != std::string::npos && closing != std::string::npos) << path << " has no " << name;
  if (updates_golden()) {
    std::ofstream(source_path(path), std::ios::binary)
        << document.substr(0, begin) << text << document.substr(closing);
    return;
  }
  EXPECT_EQ(document.substr(begin, closing - begin), text) << path << " (REZERO_UPDATE_GOLDEN=1 rewrites it)";
}

/// As a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

/// A row of options for each group.
std::string options_by_group() {
  std::string text = "| options | |\n| --- | --- |\n";
  for (const detail::OptionGroup& group : detail::option_table()) {
    text += "| " + std::string(group.heading) + " | ";
    bool first = true;
    for (const detail::PlanOption& option : group.options) {
      const std::string value =
          option.is_switch() ? "" : " " + option.value_name(detail::OptionUse::analysis);
      text += (first ? "" : ", ") + code(cell(option.shown() + value));
      first = false;
    }
    text += " |\n";
  }
  return text;
}

/// What a plan has as the option's value.
std::string value_in_plans(const detail::PlanOption& option) {
  struct Words {
    const detail::PlanOption& option;
    std::string operator()(detail::OptionMember<bool>) const { return "true or false"; }
    std::string operator()(detail::OptionMember<Index>) const { return "whole number"; }
    std::string operator()(detail::OptionMember<Bytes>) const { return "bytes, or a text such as `4G`"; }
    std::string operator()(detail::OptionMember<Real>) const { return "number"; }
    std::string operator()(detail::OptionMember<std::string>) const {
      return option.words.empty() ? code(std::string(option.value)) : code(joined(option.words, "`, `"));
    }
    std::string operator()(detail::OptionMember<std::vector<std::string>>) const {
      return "list of " + code(std::string(option.value));
    }
    std::string operator()(detail::OptionMember<std::vector<Index>>) const { return "list of whole numbers"; }
    std::string operator()(detail::OptionMember<std::vector<std::uint64_t>>) const { return "list of seeds"; }
  };
  return std::visit(Words{option}, option.member);
}

/// A row for each key of a plan.
std::string plan_keys() {
  std::string text = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  detail::for_each_option(detail::option_table(), [&](const detail::PlanOption& option) {
    const detail::OptionUse use =
        option.used_in(detail::OptionUse::analysis) ? detail::OptionUse::analysis : detail::OptionUse::verify;
    text += "| `" + option.key() + "` | " + value_in_plans(option) + " | " +
            (option.is_switch() ? "false" : cell(option.default_in(use))) + " | " +
            cell(option.help_text(use)) + " |\n";
  });
  return text;
}

TEST(Text, OptionsInTheDocsAreThoseOfTheTable) {
  expect_section("README.md", "plan options", options_by_group());
  expect_section("docs/schema.md", "plan keys", plan_keys());
}

TEST(Text, NamesInTheDocsAreThoseOfTheProgram) {
  REZERO_SKIP_WITH_LAPACKE();
  const std::string expected =
      "# Names\n\nEverything that has a name: schemes, families, activations, initializers, norms, "
      "layouts, metrics,\n"
      "checks, methods and formats. Written by `rezero-analyze list --format markdown`; "
      "`REZERO_UPDATE_GOLDEN=1 "
      "ctest -R Text`\n"
      "writes it anew.\n\n" +
      printed({"list", "--format", "markdown"});
  // The rest is measured, by examples/scheme_table.sh --write.
  const std::string document = file_text("docs/schemes.md");
  const std::size_t measured = std::min(document.find("\n## Schemes at 12 and 64 layers\n"), document.size());
  if (updates_golden()) {
    std::ofstream(source_path("docs/schemes.md"), std::ios::binary) << expected << document.substr(measured);
    return;
  }
  EXPECT_EQ(document.substr(0, measured), expected) << "REZERO_UPDATE_GOLDEN=1 rewrites docs/schemes.md";
}

TEST(Text, EverySchemeIsInTheMeasuredTable) {
  const std::string document = file_text("docs/schemes.md");
  const std::string table = document.substr(std::min(document.find("\n## Schemes at 12"), document.size()));
  for (const Scheme& scheme : schemes()) {
    if (scheme.name == "depth-mup") continue;  // for one-layer blocks only
    EXPECT_NE(table.find("\n| " + std::string(scheme.name) + " |"), std::string::npos)
        << scheme.name << " (examples/scheme_table.sh --write measures it)";
  }
}

TEST(Text, EveryLabelOfARowIsExplained) {
  const std::string document = file_text("docs/schema.md");
  for (const Label& label : labels())
    EXPECT_NE(document.find("`" + std::string(label.key) + "`"), std::string::npos) << label.key;
}

/// Every `--option` in the documents exists in the help of some command.
TEST(Text, OptionsInTheDocsExist) {
  std::string help = printed({"--help"});
  for (const cli::Command& command : cli::commands()) help += printed({std::string(command.name), "--help"});
  for (const char* path : {"README.md", "CHANGELOG.md"}) {
    for (const std::string& line : lines_of(file_text(path))) {
      if (line.find("rezero-analyze") == std::string::npos) continue;
      for (std::size_t at = line.find(" --"); at != std::string::npos; at = line.find(" --", at + 1)) {
        const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 3);
        const std::string option = line.substr(at + 1, end - at - 1);
        if (option.size() > 3) {
          EXPECT_NE(help.find(option), std::string::npos) << path << ": " << option;
        }
      }
    }
  }
}

/// Whatever a stack file may name is explained where its format is.
TEST(Text, StackFormatNamesWhatItsFilesHold) {
  const std::string text = file_text("docs/stack-format.md");
  const auto expect_named = [&text](std::string_view name) {
    EXPECT_NE(text.find("`" + std::string(name) + "`"), std::string::npos) << name;
  };
  for (const BranchKind& kind : branches()) expect_named(kind.name);
  for (const NormPlace& place : norm_places) expect_named(place.name);
  for (const ActivationPlace& place : activation_places) expect_named(place.name);
  for (const NormKind& kind : norms()) {
    expect_named(kind.name);
    for (const NormParam& param : kind.numbers) expect_named(param.name);
  }
  for (const ActivationKind& kind : activations())
    for (const ParamInfo& param : kind.params) expect_named(param.name);
}

/// Promises of future work and notes to oneself do not belong in texts that users and readers see.
TEST(Text, NoLeftovers) {
  const std::vector<std::string> words = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  std::vector<SourceFile> files = code_files();
  for (const char* folder : {"tests", "docs", "cmake"})
    for (SourceFile& file : source_files(folder, {".h", ".cpp", ".md", ".cmake"}))
      files.push_back(std::move(file));
  for (const SourceFile& file : files)
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (const std::string& word : words) {
        const std::size_t at = file.lines[i].find(word);
        const bool word_goes_on = at != std::string::npos && at > 0 &&
                                  std::isalpha(static_cast<unsigned char>(file.lines[i][at - 1]));
        EXPECT_TRUE(at == std::string::npos || word_goes_on)
            << file.path << ":" << i + 1 << ": " << file.lines[i];
      }
}

}  // namespace
}  // namespace rezero
