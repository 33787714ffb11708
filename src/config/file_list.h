#pragma once
/// Options that name several files.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero::detail {

/// The paths that were written, in that order, each once, with what a pattern matches in natural order
/// (io/file_pattern.h). A text that names a file, or one of `known`, the files that a plan file lists, is no
/// pattern. UsageError naming the pattern if it matches no file; IoError for a folder that cannot be read.
std::vector<std::string> expand_files(const std::vector<std::string>& written,
                                      const std::vector<InputFile>& known, std::string_view option);

/// The files of --input beside stacks or models from `checkpoints` files: one for all, or one for each, as a
/// list or a pattern. A comma in the only path there is, or in that of a file, separates nothing. UsageError
/// for another number of files.
std::vector<std::string> expand_inputs(const std::string& written, std::size_t checkpoints,
                                       const std::vector<InputFile>& known);

}  // namespace rezero::detail
