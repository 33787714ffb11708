/// Which module may include which: the table of docs/architecture.md.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "meta/source_tree.h"

namespace rezero {
namespace {

using Modules = std::set<std::string>;

/// Each module with the modules it may use; it may also use those that they may use.
const std::map<std::string, Modules> direct = {{"core", {}},
                                               {"random", {"core"}},
                                               {"parallel", {"core"}},
                                               {"linalg", {"random", "parallel"}},
                                               {"init", {"linalg"}},
                                               {"layers", {"linalg"}},
                                               {"graph", {"layers"}},
                                               {"spectrum", {"linalg"}},
                                               {"model", {"layers", "init"}},
                                               {"io", {"model"}},
                                               {"onnx", {"graph", "model", "io"}},
                                               {"jacobian", {"model", "parallel"}},
                                               {"theory", {"model"}},
                                               {"analysis", {"jacobian", "spectrum", "theory", "io"}},
                                               {"config", {"analysis", "io", "onnx"}},
                                               {"report", {"config"}},
                                               {"cli", {"config", "report"}}};

void add_allowed(const std::string& module, Modules& all) {
  for (const std::string& used : direct.at(module))
    if (all.insert(used).second) add_allowed(used, all);
}

Modules allowed(const std::string& module) {
  Modules all = {module};
  add_allowed(module, all);
  return all;
}

/// `core` of src/core/x.cpp and include/rezero/core/x.h.
std::string module_of(const std::string& path) {
  const std::string prefix = path.compare(0, 4, "src/") == 0 ? "src/" : "include/rezero/";
  const std::size_t begin = prefix.size();
  return path.substr(begin, path.find('/', begin) - begin);
}

/// The module of an include of this project; empty for a file in the same folder, or another library.
std::string included_module(const std::string& name) {
  const std::string rest = name.compare(0, 7, "rezero/") == 0 ? name.substr(7) : name;
  const std::size_t slash = rest.find('/');
  const std::string module = rest.substr(0, slash);
  return slash != std::string::npos && direct.count(module) ? module : "";
}

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

/// `a` and `b` of "`a`, `b`".
std::vector<std::string> words_in_code_spans(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = text.find('`');
  while (begin != std::string::npos) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string::npos) break;
    words.push_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return words;
}

/// Calls f(path, included name) for every include of the code.
template <class F>
void for_each_include(F&& f) {
  for (const SourceFile& file : code_files())
    for (const std::string& line : file.lines)
      if (const std::string name = included(line); !name.empty()) f(file.path, name);
}

TEST(Layering, TableHasNoCycle) {
  for (const auto& [module, used] : direct) {
    Modules below;
    add_allowed(module, below);
    EXPECT_EQ(below.count(module), 0u) << module << " may use itself through others";
  }
}

TEST(Layering, TheDocumentHasTheTable) {
  std::map<std::string, Modules> documented;
  for (const std::string& line : lines_of(file_text("docs/architecture.md"))) {
    if (!starts_with(line, "| `")) continue;
    const std::size_t first = line.find('|', 1), second = line.find('|', first + 1);
    const std::vector<std::string> module = words_in_code_spans(line.substr(0, first));
    if (module.size() != 1 || !direct.count(module[0]) || second == std::string::npos) continue;
    const std::vector<std::string> used = words_in_code_spans(line.substr(first, second - first));
    documented[module[0]] = Modules(used.begin(), used.end());
  }
  EXPECT_EQ(documented, direct);
}

TEST(Layering, EveryFolderIsAModule) {
  for (const SourceFile& file : code_files()) EXPECT_TRUE(direct.count(module_of(file.path))) << file.path;
}

TEST(Layering, ModulesUseOnlyThoseBelow) {
  for_each_include([](const std::string& path, const std::string& name) {
    const std::string used = included_module(name);
    if (used.empty() || !direct.count(module_of(path))) return;
    EXPECT_TRUE(allowed(module_of(path)).count(used)) << path << " includes " << name;
  });
}

TEST(Layering, ReportDoesNotReadFiles) {
  for_each_include([](const std::string& path, const std::string& name) {
    if (module_of(path) == "report" || module_of(path) == "analysis") {
      EXPECT_FALSE(starts_with(name, "rezero/io/") || starts_with(name, "io/"))
          << path << " includes " << name;
    }
  });
}

TEST(Layering, IncludesOfTheProjectExist) {
  for_each_include([](const std::string& path, const std::string& name) {
    if (!starts_with(name, "rezero/")) return;
    EXPECT_TRUE(std::filesystem::exists(source_path("include/" + name))) << path << " includes " << name;
  });
}

TEST(Layering, ThirdPartiesStayWhereTheyBelong) {
  const Modules json = {"io", "config", "report"};
  for_each_include([&json](const std::string& path, const std::string& name) {
    const std::string module = module_of(path);
    const bool header = path.compare(path.size() - 2, 2, ".h") == 0,
               is_public = starts_with(path, "include/");
    if (starts_with(name, "nlohmann/")) {
      EXPECT_TRUE(json.count(module) || path == "src/cli/listing_text.cpp") << path;
      EXPECT_FALSE(is_public) << path << " shows nlohmann to users of the library";
    }
    if (starts_with(name, "CLI/")) {
      EXPECT_EQ(path, "src/cli/command_line.cpp");
    }
    if (starts_with(name, "Spectra/")) {
      EXPECT_TRUE(starts_with(path, "src/spectrum/") && !header) << path;
    }
    if (starts_with(name, "Eigen/") && name != "Eigen/Core") {
      EXPECT_TRUE(!header && (module == "spectrum" || module == "linalg")) << path << " includes " << name;
    }
    if (starts_with(name, "unsupported/")) {
      ADD_FAILURE() << path << " includes " << name;
    }
    if (starts_with(name, "google/") || name == "onnx/onnx_pb.h") {
      EXPECT_EQ(path, "src/onnx/reader.cpp");
    }
    if (name == "omp.h") {
      EXPECT_TRUE(module == "parallel" && !header) << path << " includes " << name;
    }
    if (name == "thread") {
      EXPECT_TRUE(module == "parallel" || module == "cli" ||
                  path.find("bulge_chase.cpp") != std::string::npos)
          << path << " includes " << name;
    }
  });
}

TEST(Layering, StandardStreamsBelongToTheProcess) {
  const std::vector<std::string> words = {"std::cout", "std::cerr", "std::clog",
                                          "printf(",   "fputs(",    "fwrite("};
  for (const SourceFile& file : code_files())
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (const std::string& word : words) {
        const std::string code = code_of(file.lines[i]);
        const std::size_t at = code.find(word);
        const bool formats =
            word == "printf(" && at != std::string::npos && at >= 2 && code.substr(at - 2, 2) == "sn";
        if (at != std::string::npos && !formats && module_of(file.path) != "cli") {
          ADD_FAILURE() << file.path << ":" << i + 1 << ": " << word;
        }
      }
}

TEST(Layering, RandomNumbersComeFromAddressesOnly) {
  const std::vector<std::string> words = {"#include <random>",
                                          "std::mt19937",
                                          "std::random_device",
                                          "std::minstd_rand",
                                          "_distribution<",
                                          "default_random_engine",
                                          "rand()",
                                          "drand48",
                                          "arc4random",
                                          "setRandom",
                                          "::Random("};
  for (const SourceFile& file : code_files())
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (const std::string& word : words)
        EXPECT_EQ(code_of(file.lines[i]).find(word), std::string::npos)
            << file.path << ":" << i + 1 << ": " << word;
}

TEST(Layering, NoClockBelowTheCommand) {
  for_each_include([](const std::string& path, const std::string& name) {
    if (name == "chrono") {
      EXPECT_EQ(module_of(path), "cli") << path << " includes " << name;
    }
  });
}

TEST(Layering, HeadersAreGuarded) {
  for (const SourceFile& file : code_files()) {
    if (file.path.compare(file.path.size() - 2, 2, ".h") != 0) continue;
    EXPECT_EQ(file.lines.empty() ? "" : file.lines[0], "#pragma once") << file.path;
    for (const std::string& line : file.lines)
      EXPECT_EQ(code_of(line).find("using namespace"), std::string::npos) << file.path;
  }
}

}  // namespace
}  // namespace rezero
