#pragma once
/// The names of a checkpoint's tensors, compared with those of a layout.

#include <map>
#include <string>
#include <vector>

#include "rezero/io/layout.h"
#include "rezero/io/safetensors.h"

namespace rezero::detail {

/// How the names of a file fit a layout.
struct NameMatch {
  std::vector<std::string> prefixes;  ///< of groups of layers, in the order of the file
  Index layers = 0;                   ///< with numbers from 0, of the first group
  std::vector<Index> gaps;            ///< numbers below the largest that no name has (the first few)
  Index gap_count = 0;
  std::vector<std::string> missing;    ///< needed, and not in the file
  std::vector<std::string> in_layers;  ///< names of a layer for which the layout has no place
  std::vector<std::string> elsewhere;  ///< other names for which it has none
  std::vector<std::string> final_norm, outside, left_out;

  std::string prefix() const { return prefixes.empty() ? "" : prefixes.front(); }
  bool layers_fit() const {
    return prefixes.size() == 1 && gap_count == 0 && missing.empty() && in_layers.empty();
  }
};

/// UsageError for a `leave_out` that names nothing.
NameMatch match_names(const SafetensorsFile& file, const Layout& layout,
                      const std::vector<std::string>& leave_out);

/// UsageError or IoError, in one line, unless everything fits.
void require_fit(const NameMatch& names, const SafetensorsFile& file, const Layout& layout,
                 const std::vector<std::string>& leave_out);

/// A row's name in the file, for a layer.
std::string name_in_file(const LayoutTensor& tensor, const std::string& prefix, Index layer);

/// `'a', 'b', 'c' and 9 more`.
std::string listed(const std::vector<std::string>& names);

}  // namespace rezero::detail
