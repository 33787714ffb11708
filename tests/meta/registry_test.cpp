/// Every file of an open folder has a line in its table, and users can type every name.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "meta/source_tree.h"
#include "rezero/analysis/check.h"
#include "rezero/analysis/metric.h"
#include "rezero/core/swept_spec.h"
#include "rezero/init/initializer.h"
#include "rezero/io/layout.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/norm.h"
#include "rezero/model/branch.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"
#include "rezero/report/renderer.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

struct OpenSet {
  std::string folder, table;
  bool one_each = true;  ///< each file contains one entry, named like the file
};

const std::vector<OpenSet> open_sets = {{"src/model/schemes", "schemes.def"},
                                        {"src/model/branches", "branches.def"},
                                        {"src/spectrum/methods", "methods.def"},
                                        {"src/graph/operators", "operators.def"},
                                        {"src/io/layouts", "layouts.def"},
                                        {"src/analysis/checks", "checks.def"},
                                        {"src/analysis/metrics", "metrics.def", false},
                                        {"src/report/renderers", "renderers.def"},
                                        {"src/cli/commands", "commands.def"}};

/// What stands in parentheses after REZERO_ENTRY, line by line.
std::vector<std::string> entries_of(const OpenSet& set) {
  const std::string macro = "REZERO_ENTRY(";
  std::vector<std::string> entries;
  for (const std::string& line : lines_of(file_text(set.folder + "/" + set.table)))
    if (line.compare(0, macro.size(), macro) == 0)
      entries.push_back(line.substr(macro.size(), line.find(')') - macro.size()));
  return entries;
}

std::string stem(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

TEST(OpenSets, EveryFileHasALineAndEveryLineAFile) {
  for (const OpenSet& set : open_sets) {
    const std::vector<std::string> entries = entries_of(set);
    EXPECT_FALSE(entries.empty()) << set.folder;
    EXPECT_EQ(std::set<std::string>(entries.begin(), entries.end()).size(), entries.size()) << set.table;
    const std::vector<SourceFile> files = source_files(set.folder, {".cpp"});
    for (const SourceFile& file : files) {
      std::string text;
      for (const std::string& line : file.lines) text += line + "\n";
      const bool used = std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
        return set.one_each ? entry == stem(file.path) : text.find(entry) != std::string::npos;
      });
      EXPECT_TRUE(used) << file.path << " has no line in " << set.table;
    }
    for (const std::string& entry : entries) {
      const bool made = std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
        if (set.one_each) return stem(file.path) == entry;
        return std::any_of(file.lines.begin(), file.lines.end(),
                           [&](const std::string& line) { return line.find(entry) != std::string::npos; });
      });
      EXPECT_TRUE(made) << set.table << ": " << entry << " has no file";
    }
  }
}

/// Lower-case letters and digits in words joined by `joint` or by none.
bool is_name(std::string_view name, const std::string& joints) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool joint = joints.find(name[i]) != std::string::npos;
    if (joint && (i + 1 == name.size() || joints.find(name[i + 1]) != std::string::npos)) return false;
    if (!joint && !(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= '0' && name[i] <= '9')) return false;
  }
  return true;
}

std::size_t lines_in(const std::string& table) {
  for (const OpenSet& set : open_sets)
    if (set.table == table) return entries_of(set).size();
  return 0;
}

void expect_params(std::string_view owner, const std::vector<ParamInfo>& params) {
  std::set<std::string_view> seen;
  for (const ParamInfo& param : params) {
    EXPECT_TRUE(is_name(param.name, "_")) << owner << " " << param.name;
    EXPECT_TRUE(seen.insert(param.name).second) << owner << " " << param.name;
    EXPECT_FALSE(param.meaning.empty()) << owner << " " << param.name;
    if (param.kind == ParamKind::choice) {
      EXPECT_FALSE(param.choices.empty()) << owner << " " << param.name;
    }
  }
  EXPECT_NO_THROW(resolve_params({std::string(owner), {}}, params, owner))
      << owner;  // the defaults are values
}

enum class Sourced { always, where_known };

/// Names and aliases each once, in one spelling, and found; every entry says what it is.
template <class T>
void expect_good_entries(const Registry<T>& registry, const std::string& joints, Sourced sourced) {
  std::set<std::string_view> seen;
  for (const T& entry : registry) {
    const std::string where = std::string(registry.kind()) + " " + std::string(entry.name);
    EXPECT_TRUE(is_name(entry.name, joints)) << where;
    EXPECT_TRUE(seen.insert(entry.name).second) << where;
    for (std::string_view alias : entry.aliases) {
      EXPECT_TRUE(is_name(alias, "-_")) << where << " " << alias;
      EXPECT_TRUE(seen.insert(alias).second) << where << ": " << alias << " is given twice";
      EXPECT_EQ(&registry.at(alias), &entry) << where;
    }
    EXPECT_EQ(&registry.at(entry.name), &entry) << where;
    EXPECT_FALSE(entry.summary.empty()) << where;
    if (sourced == Sourced::always) {
      EXPECT_FALSE(entry.source.empty()) << where;
    }
    expect_params(entry.name, entry.params);
  }
}

TEST(Registries, EntriesHaveOneSpellingAndSayWhatTheyAre) {
  expect_good_entries(schemes(), "-", Sourced::always);
  expect_good_entries(branches(), "-", Sourced::always);
  expect_good_entries(families(), "-", Sourced::where_known);
  expect_good_entries(activations(), "_", Sourced::where_known);
  expect_good_entries(initializers(), "-", Sourced::always);
  expect_good_entries(norms(), "_", Sourced::always);
  expect_good_entries(layouts(), "-", Sourced::always);
  expect_good_entries(spectrum_methods(), "-", Sourced::always);
  expect_good_entries(checks(), "-", Sourced::always);
  expect_good_entries(metrics(), "_", Sourced::where_known);
  expect_good_entries(renderers(), "-", Sourced::where_known);
}

/// A number after a comma continues the parameter before it: no name may look like one.
TEST(Registries, NamesOfAxesAreNotNumbers) {
  const auto expect_words = [](const auto& registry) {
    for (const auto& entry : registry) {
      EXPECT_FALSE(begins_like_number(entry.name)) << entry.name;
      for (const std::string_view alias : entry.aliases) EXPECT_FALSE(begins_like_number(alias)) << alias;
    }
  };
  expect_words(schemes());
  expect_words(activations());
  expect_words(initializers());
  for (const auto& [preset, text] : initializer_presets()) EXPECT_FALSE(begins_like_number(preset)) << preset;
}

TEST(Registries, EveryLineOfATableIsAnEntry) {
  const std::size_t left_out = spectrum_methods().find("lapack") ? 0 : 1;  // REZERO_WITH_LAPACKE
  EXPECT_EQ(spectrum_methods().size(), lines_in("methods.def") - left_out);
  EXPECT_EQ(schemes().size(), lines_in("schemes.def"));
  EXPECT_EQ(branches().size(), lines_in("branches.def"));
  EXPECT_EQ(layouts().size(), lines_in("layouts.def"));
  EXPECT_EQ(checks().size(), lines_in("checks.def"));
  EXPECT_EQ(metrics().size(), lines_in("metrics.def"));
  EXPECT_EQ(renderers().size(), lines_in("renderers.def"));
}

TEST(Registries, EntriesHaveWhatTheirKindNeeds) {
  for (const Scheme& scheme : schemes()) {
    EXPECT_FALSE(scheme.update.empty() || scheme.depth_symbol.empty()) << scheme.name;
    EXPECT_NE(scheme.plan, nullptr) << scheme.name;
    EXPECT_NE(scheme.depends_on_depth, nullptr) << scheme.name;
    for (std::string_view family : scheme.made_for)
      EXPECT_NE(families().find(family), nullptr) << scheme.name;
  }
  for (const BranchKind& kind : branches()) EXPECT_FALSE(kind.formula.empty()) << kind.name;
  for (const ActivationKind& kind : activations()) EXPECT_FALSE(kind.derivative_formula.empty()) << kind.name;
  for (const InitializerKind& kind : initializers()) {
    EXPECT_FALSE(kind.formula.empty()) << kind.name;
    EXPECT_NE(kind.law, nullptr) << kind.name;
  }
  for (const auto& [alias, meaning] : initializer_presets()) {
    EXPECT_TRUE(is_name(alias, "-")) << alias;
    EXPECT_NO_THROW(Initializer(parse_named_spec(meaning))) << meaning;
  }
  for (const NormKind& kind : norms()) EXPECT_NE(kind.make, nullptr) << kind.name;
  for (const Metric& metric : metrics()) {
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_NE(metric.compute, nullptr) << metric.name;
  }
  for (const Check& check : checks()) EXPECT_NE(check.run, nullptr) << check.name;
  for (const SpectrumMethod& method : spectrum_methods())
    EXPECT_NE(method.full == nullptr, method.compute == nullptr) << method.name;
  for (const RendererKind& kind : renderers()) EXPECT_NE(kind.report, nullptr) << kind.name;
}

}  // namespace
}  // namespace rezero
