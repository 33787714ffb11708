#pragma once
/// Words of a closed set.

#include <string_view>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {

/// The value whose to_string is `word`, in any case. UsageError with a suggestion otherwise.
template <class T>
T lookup(std::string_view kind, std::string_view word, const std::vector<T>& values) {
  std::vector<std::string_view> known;
  for (const T value : values) {
    if (same_but_for_case(to_string(value), word)) return value;
    known.push_back(to_string(value));
  }
  throw UsageError(unknown_name_message(kind, word, known));
}

}  // namespace rezero::detail
