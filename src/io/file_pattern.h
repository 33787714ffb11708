#pragma once
/// Patterns of file names, for arguments that a shell did not expand.

#include <string>
#include <string_view>
#include <vector>

namespace rezero::detail {

/// Whether a text has a `*`, `?` or `[`, as a pattern of file names does.
bool is_pattern(std::string_view text);

/// What a pattern matches.
struct Matches {
  std::vector<std::string> files;  ///< in natural order
  std::size_t folders = 0;         ///< matched as well, but no files
};

/// As glob(3): `*` and `?` do not match `/` or a leading dot. IoError for a folder that cannot be read.
Matches matching_files(const std::string& pattern);

/// Order of names in which runs of digits count as numbers: step_2 before step_10, run_2/b before run_10/a.
/// Names that differ only in leading zeros: in the order of their bytes.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace rezero::detail
