#include "io/file_pattern.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/posix.h"
#include "rezero/core/error.h"

namespace rezero::detail {
namespace {

struct Glob {
  glob_t found{};
  Glob() = default;
  Glob(const Glob&) = delete;
  Glob& operator=(const Glob&) = delete;
  ~Glob() { ::globfree(&found); }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes the digits at the beginning and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto first = std::find_if(text.begin(), text.end(), [](char c) { return c != '0'; });
  const auto end = std::find_if_not(first, text.end(), is_digit);
  const std::string_view number =
      text.substr(static_cast<std::size_t>(first - text.begin()), static_cast<std::size_t>(end - first));
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  return number;
}

/// Negative, 0 or positive, as a comes before b, is equal or comes after it.
int compare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (const int order = x.compare(y); order != 0) return order;
      continue;
    }
    const auto x = static_cast<unsigned char>(a.front()), y = static_cast<unsigned char>(b.front());
    if (x != y) return x < y ? -1 : 1;
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.empty() ? -static_cast<int>(!b.empty()) : 1;
}

}  // namespace

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

Matches matching_files(const std::string& pattern) {
  Glob glob;
  const auto stop = [](const char*, int error) -> int { return error != ENOENT && error != ENOTDIR; };
  const int outcome = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_MARK, stop, &glob.found);
  if (outcome == GLOB_NOSPACE) throw std::bad_alloc();
  if (outcome == GLOB_ABORTED)
    throw IoError("cannot look for files " + quoted(pattern) + " (a folder cannot be read)");
  Matches matches;
  for (std::size_t i = 0; i < glob.found.gl_pathc; ++i) {
    const std::string path = glob.found.gl_pathv[i];
    if (path.back() == '/')
      ++matches.folders;
    else
      matches.files.push_back(path);
  }
  std::sort(matches.files.begin(), matches.files.end(), natural_less);
  return matches;
}

bool natural_less(std::string_view a, std::string_view b) {
  const int order = compare(a, b);
  return order != 0 ? order < 0 : a < b;
}

}  // namespace rezero::detail
