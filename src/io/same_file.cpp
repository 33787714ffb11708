#include "io/same_file.h"

#include <sys/stat.h>

#include <filesystem>

namespace rezero::detail {
namespace {

/// Absolute, without `.` and `..`; symbolic links are followed as far as the path exists.
std::filesystem::path resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path found = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : found;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  const bool a_exists = ::stat(a.c_str(), &of_a) == 0, b_exists = ::stat(b.c_str(), &of_b) == 0;
  if (a_exists != b_exists) return false;
  if (!a_exists) return resolved(a) == resolved(b);
  return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && !S_ISCHR(of_a.st_mode);
}

}  // namespace rezero::detail
