#pragma once
/// The files of this project, as text.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace rezero {

struct SourceFile {
  std::string path;  ///< relative to the project's folder, with /
  std::vector<std::string> lines;
};

inline std::string source_path(const std::string& path) {
  return std::string(REZERO_SOURCE_DIR) + "/" + path;
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(source_path(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Files under `folder` with one of the endings, sorted by path.
inline std::vector<SourceFile> source_files(const std::string& folder,
                                            const std::vector<std::string>& endings) {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path(folder))) {
    if (!entry.is_regular_file()) continue;
    const std::string ending = entry.path().extension().string();
    if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
    const std::string path = std::filesystem::relative(entry.path(), REZERO_SOURCE_DIR).generic_string();
    files.push_back({path, lines_of(file_text(path))});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

/// The library's and the command's code.
inline std::vector<SourceFile> code_files() {
  std::vector<SourceFile> files = source_files("src", {".h", ".cpp", ".def"});
  for (SourceFile& file : source_files("include", {".h"})) files.push_back(std::move(file));
  return files;
}

/// The name in an `#include`, without quotes or brackets; empty if the line is not an include.
inline std::string included(const std::string& line) {
  std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find("include", at);
  if (at == std::string::npos) return "";
  const std::size_t begin = line.find_first_of("\"<", at);
  if (begin == std::string::npos) return "";
  const std::size_t end = line.find_first_of("\">", begin + 1);
  return line.substr(begin + 1, end - begin - 1);
}

/// The line without comments after `//`, and without string literals.
inline std::string code_of(const std::string& line) {
  std::string code;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, "//") == 0) break;
    if (line[i] != '"' || (i > 0 && line[i - 1] == '\'')) {
      code += line[i];
      continue;
    }
    for (++i; i < line.size() && line[i] != '"'; ++i)
      if (line[i] == '\\') ++i;
    code += "\"\"";
  }
  return code;
}

}  // namespace rezero
