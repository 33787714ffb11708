#include "config/file_list.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "config/names.h"
#include "io/file_pattern.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::detail {
namespace {

using Names = std::vector<std::string>;

bool names_a_file(const std::string& text, const std::vector<InputFile>& known) {
  std::error_code error;
  return std::any_of(known.begin(), known.end(), [&](const InputFile& file) { return file.path == text; }) ||
         std::filesystem::exists(text, error);
}

/// The path itself, or the matches of a pattern.
Names expanded(const std::string& text, const std::vector<InputFile>& known, std::string_view option) {
  if (!is_pattern(text) || names_a_file(text, known)) return {text};
  Matches matches = matching_files(text);
  if (matches.files.empty())
    throw UsageError(std::string(option) + " '" + printable(text) + "' matches no file" +
                     (matches.folders > 0 ? " (only folders)" : ""));
  return std::move(matches.files);
}

}  // namespace

std::vector<std::string> expand_files(const std::vector<std::string>& written,
                                      const std::vector<InputFile>& known, std::string_view option) {
  Names paths;
  std::unordered_set<std::string> seen;
  for (const std::string& text : written)
    for (std::string& path : expanded(text, known, option))
      if (seen.insert(std::filesystem::path(path).lexically_normal().string()).second)
        paths.push_back(std::move(path));
  return paths;
}

std::vector<std::string> expand_inputs(const std::string& written, std::size_t checkpoints,
                                       const std::vector<InputFile>& known) {
  Names texts = {written};
  if (checkpoints > 1 && !names_a_file(written, known)) texts = parse_name_list(written, "--input");
  Names paths;
  for (const std::string& text : texts) {
    if (input_law(text) != InputLaw::values)
      throw UsageError("--input '" + printable(written) + "' is a list, and '" + printable(text) +
                       "' is no file (a law stands alone)");
    for (std::string& path : expanded(text, known, "--input")) paths.push_back(std::move(path));
  }
  for (const std::string& path : paths)
    if (paths.size() > 1 && path.find(',') != std::string::npos)
      throw UsageError("--input '" + printable(path) + "' has a comma, which separates files (rename it)");
  if (paths.size() != 1 && paths.size() != checkpoints)
    throw UsageError("--input '" + printable(written) + "' gives " + std::to_string(paths.size()) +
                     " files for " + std::to_string(checkpoints) + (checkpoints == 1 ? " stack" : " stacks") +
                     " (give one, with an axis more for several samples, or one for each)");
  return paths;
}

}  // namespace rezero::detail
