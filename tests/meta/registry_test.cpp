/// Every file of an open folder has a line in its table, and every name is one that a user can type.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "meta/source_tree.h"
#include "rezero/analysis/check.h"
#include "rezero/analysis/metric.h"
#include "rezero/init/initializer.h"
#include "rezero/layers/activation.h"
#include "rezero/model/branch.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"
#include "rezero/report/renderer.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

struct OpenSet {
  std::string folder, table, macro;
  bool one_each;  ///< each file holds one entry, named as the file
};

const std::vector<OpenSet> open_sets = {
    {"src/model/schemes", "schemes.def", "REZERO_SCHEME", true},
    {"src/model/branches", "branches.def", "REZERO_BRANCH", true},
    {"src/spectrum/methods", "methods.def", "REZERO_SPECTRUM_METHOD", true},
    {"src/analysis/checks", "checks.def", "REZERO_CHECK", true},
    {"src/analysis/metrics", "metrics.def", "REZERO_METRIC", false},
    {"src/report/renderers", "renderers.def", "REZERO_RENDERER", true},
    {"src/cli/commands", "commands.def", "REZERO_COMMAND", true}};

/// What stands in parentheses after the macro, line by line.
std::vector<std::string> entries_of(const OpenSet& set) {
  std::vector<std::string> entries;
  for (const std::string& line : lines_of(file_text(set.folder + "/" + set.table))) {
    if (line.compare(0, set.macro.size() + 1, set.macro + "(") != 0) continue;
    const std::size_t begin = set.macro.size() + 1;
    entries.push_back(line.substr(begin, line.find(')') - begin));
  }
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

/// Names and aliases of a registry, each once, in one spelling.
template <class T>
void expect_good_names(const Registry<T>& registry, const std::string& joints, std::size_t lines) {
  EXPECT_EQ(registry.size(), lines) << registry.kind();
  std::set<std::string_view> seen;
  for (const T& entry : registry) {
    EXPECT_TRUE(is_name(entry.name, joints)) << registry.kind() << " " << entry.name;
    EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
    for (std::string_view alias : entry.aliases) {
      EXPECT_TRUE(is_name(alias, "-_")) << registry.kind() << " " << alias;
      EXPECT_TRUE(seen.insert(alias).second) << registry.kind() << " " << alias << " is given twice";
      EXPECT_EQ(&registry.at(alias), &entry);
    }
    EXPECT_EQ(&registry.at(entry.name), &entry);
  }
}

std::size_t lines_in(const std::string& table) {
  for (const OpenSet& set : open_sets)
    if (set.table == table) return entries_of(set).size();
  return 0;
}

TEST(Registries, NamesAreUniqueAndSpelledAlike) {
  expect_good_names(schemes(), "-", lines_in("schemes.def"));
  expect_good_names(branches(), "-", lines_in("branches.def"));
  const std::size_t left_out = spectrum_methods().find("lapack") ? 0 : 1;  // REZERO_WITH_LAPACKE
  expect_good_names(spectrum_methods(), "-", lines_in("methods.def") - left_out);
  expect_good_names(checks(), "-", lines_in("checks.def"));
  expect_good_names(metrics(), "_", lines_in("metrics.def"));
  expect_good_names(renderers(), "-", lines_in("renderers.def"));
  expect_good_names(activations(), "_", activations().size());
  expect_good_names(initializers(), "-", initializers().size());
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

TEST(Registries, EveryEntrySaysWhatItIsAndWhereItIsFrom) {
  for (const Scheme& scheme : schemes()) {
    for (std::string_view text : {scheme.update, scheme.summary, scheme.source, scheme.depth_symbol})
      EXPECT_FALSE(text.empty()) << scheme.name;
    for (std::string_view family : scheme.made_for)
      EXPECT_NE(families().find(family), nullptr) << scheme.name;
    expect_params(scheme.name, scheme.params);
  }
  for (const BranchKind& kind : branches())
    for (std::string_view text : {kind.formula, kind.summary, kind.source})
      EXPECT_FALSE(text.empty()) << kind.name;
  for (const ActivationKind& kind : activations()) {
    for (std::string_view text : {kind.formula, kind.derivative_formula})
      EXPECT_FALSE(text.empty()) << kind.name;
    expect_params(kind.name, kind.params);
  }
  for (const InitializerKind& kind : initializers()) {
    for (std::string_view text : {kind.formula, kind.summary, kind.source})
      EXPECT_FALSE(text.empty()) << kind.name;
    expect_params(kind.name, kind.params);
  }
  for (const auto& [alias, meaning] : initializer_presets()) {
    EXPECT_TRUE(is_name(alias, "-")) << alias;
    EXPECT_NO_THROW(Initializer(parse_named_spec(meaning))) << meaning;
  }
  for (const Metric& metric : metrics())
    for (std::string_view text : {metric.unit, metric.definition}) EXPECT_FALSE(text.empty()) << metric.name;
  for (const Check& check : checks()) {
    EXPECT_FALSE(check.claim.empty() || check.source.empty()) << check.name;
    expect_params(check.name, check.params);
  }
  for (const SpectrumMethod& method : spectrum_methods()) {
    EXPECT_FALSE(method.summary.empty() || method.reference.empty()) << method.name;
    EXPECT_NE(method.full == nullptr, method.compute == nullptr) << method.name;
  }
  for (const RendererKind& kind : renderers()) EXPECT_FALSE(kind.summary.empty()) << kind.name;
}

}  // namespace
}  // namespace rezero
