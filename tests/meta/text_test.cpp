/// Texts that repeat what the code knows: docs/schemes.md is what `list` prints.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/run.h"
#include "meta/source_tree.h"
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

TEST(Text, NamesInTheDocsAreThoseOfTheProgram) {
  REZERO_SKIP_WITH_LAPACKE();
  const std::string expected =
      "# Names\n\nEverything that has a name: schemes, families, activations, initializers, norms, metrics, "
      "checks,\n"
      "methods and formats. Written by `rezero-analyze list --format markdown`; `REZERO_UPDATE_GOLDEN=1 "
      "ctest -R Text`\n"
      "writes it anew.\n\n" +
      printed({"list", "--format", "markdown"});
  // What follows is measured, by examples/scheme_table.sh --write.
  const std::string document = file_text("docs/schemes.md");
  const std::size_t measured = std::min(document.find("\n## Schemes at 12 and 64 layers\n"), document.size());
  const char* update = std::getenv("REZERO_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
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
    EXPECT_NE(table.find("\n| " + std::string(scheme.name) + " |"), std::string::npos) << scheme.name;
  }
}

/// Every `--option` that the documents name exists in the help of some command.
TEST(Text, OptionsInTheDocsExist) {
  std::string help = printed({"--help"});
  for (const char* command : {"verify", "list", "export", "schema"}) help += printed({command, "--help"});
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

/// Sentences that promise instead of telling, and notes to oneself, stay out of what users and readers see.
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
