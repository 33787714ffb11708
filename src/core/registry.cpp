#include "rezero/core/registry.h"

#include <algorithm>

namespace rezero {
namespace {

/// Optimal string alignment distance: insertions, deletions, substitutions, neighbour swaps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string closest_name(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > 64) return {};
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) best = distance, found = candidate;
  }
  return std::string(found);
}

std::string unknown_name_message(std::string_view kind, std::string_view word,
                                 const std::vector<std::string_view>& known,
                                 const std::vector<std::string_view>& aliases) {
  // `unknown parameter 'alpa' of scheme 'fixed'`
  const std::size_t of = std::min(kind.find(" of "), kind.size());
  std::string message = "unknown " + std::string(kind.substr(0, of)) + " '" + printable(word) + "'" +
                        std::string(kind.substr(of)) + " (known: " + joined(known) + ")";
  std::vector<std::string_view> all = known;
  all.insert(all.end(), aliases.begin(), aliases.end());
  const std::string close = closest_name(word, all);
  if (!close.empty()) message += ". Did you mean '" + close + "'?";
  return message;
}

}  // namespace rezero
