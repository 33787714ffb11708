#pragma once
/// Runs command lines in this process, and compares their output with committed files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run.h"
#include "support/json_comparer.h"
#include "support/optional_methods.h"

namespace rezero {

using Json = nlohmann::ordered_json;
using Args = std::vector<std::string>;

/// The outcome of a command line.
struct Ran {
  int code = -1;
  std::string out, err;

  Json json() const { return Json::parse(out); }
};

enum class Terminal { no, yes };

inline Ran ran(const Args& args, Terminal terminal = Terminal::no) {
  Ran ran;
  cli::Environment env;
  env.out = [&ran](std::string_view text) { ran.out += text; };
  env.err = [&ran](std::string_view text) { ran.err += text; };
  env.out_is_terminal = terminal == Terminal::yes;
  ran.code = cli::run(args, env);
  return ran;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rezero-cli-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// A refusal: the exit code, nothing on out, one line on err without control characters or third-party text.
/// Returns the line.
inline std::string refused(const Args& args, int code) {
  const Ran got = ran(args);
  std::string shown;
  for (const std::string& arg : args) shown += arg.substr(0, 80) + " ";
  EXPECT_EQ(got.code, code) << shown << "\n" << got.err.substr(0, 1000);
  EXPECT_EQ(got.out, "") << shown;
  EXPECT_LE(got.err.size(), 2000u) << shown;
  EXPECT_EQ(got.err.substr(0, 16), "rezero-analyze: ") << shown;
  if (got.err.empty()) return "";
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << shown << got.err;
  const std::string line = got.err.substr(0, got.err.size() - 1);
  for (unsigned char c : line) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << "control character: " << shown;
  for (const char* foreign : {"json.exception", "std::", "CLI::", "Eigen"})
    EXPECT_FALSE(contains(line, foreign)) << line;
  return line;
}

// ---- golden files: REZERO_UPDATE_GOLDEN=1 rewrites them

inline std::string golden_path(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/cli/golden/" + name;
}

inline bool updates_golden() {
  const char* wanted = std::getenv("REZERO_UPDATE_GOLDEN");
  return wanted && std::string(wanted) == "1";
}

inline void expect_golden(const std::string& name, const std::string& text) {
  if (updates_golden()) return spill(golden_path(name), text);
  EXPECT_EQ(slurp(golden_path(name)), text) << name << " (REZERO_UPDATE_GOLDEN=1 rewrites it)";
}

/// A report without anything that may differ between runs, builds and folders.
inline Json stable(Json report) {
  report.erase("run");
  report.erase("tool");
  return report;
}

inline void expect_golden_json(const std::string& name, const Json& report) {
  const Json found = stable(report);
  if (updates_golden()) return spill(golden_path(name), found.dump(1) + "\n");
  JsonComparer comparer(1e-9, 1e-12);
  for (const std::string& difference : comparer.differences(Json::parse(slurp(golden_path(name))), found))
    ADD_FAILURE() << name << " " << difference << " (REZERO_UPDATE_GOLDEN=1 rewrites it)";
}

}  // namespace rezero
