#include "io/write_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <ctime>
#include <string_view>

#include "io/posix.h"
#include "rezero/core/error.h"

namespace rezero::detail {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw IoError("cannot write " + quoted(path) + " (" + why + ")");
}

/// The descriptor named by /dev/stdout, /dev/fd/N or /proc/self/fd/N. Opening it by name would truncate it,
/// or write from its beginning, while others use it.
std::optional<int> named_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.substr(0, folder.size()) != folder) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string follow_link(const WriteTarget& target) {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(target.path.c_str(), text, sizeof text);
  if (size < 0) fail(target.given, error_text(errno));
  const std::string next(text, static_cast<std::size_t>(size));
  return next.front() == '/' ? next : folder_of(target.path) + "/" + next;
}

void look_at_existing(WriteTarget& target, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) fail(target.given, "it is a directory");
  if (!S_ISREG(info.st_mode)) {
    target.kind = WriteTarget::Kind::direct;
    return;
  }
  // Replacing a file only needs permission for the folder, but write protection of the file must count as
  // well.
  if (::access(target.path.c_str(), W_OK) != 0) fail(target.given, error_text(errno));
  target.mode = info.st_mode & 0777;
}

}  // namespace

WriteTarget find_write_target(const std::string& path) {
  constexpr int most_links = 40;  // as in the kernel
  if (path.empty()) fail(path, "the path is empty");
  if (path.find('\0') != std::string::npos) fail(path, "a path cannot hold a zero byte");
  WriteTarget target;
  target.given = target.path = path;
  for (int links = 0; links <= most_links; ++links) {
    if (const auto number = named_descriptor(target.path)) {
      target.kind = WriteTarget::Kind::descriptor;
      target.descriptor = *number;
      return target;
    }
    target.folder = folder_of(target.path);
    struct stat info {};
    if (::lstat(target.path.c_str(), &info) != 0) {
      if (errno != ENOENT || target.path.back() == '/') fail(path, error_text(errno));
      return target;
    }
    if (!S_ISLNK(info.st_mode)) {
      look_at_existing(target, info);
      return target;
    }
    target.path = follow_link(target);
  }
  fail(path, error_text(ELOOP));
}

FileSizeSignalBlock::FileSizeSignalBlock() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

FileSizeSignalBlock::~FileSizeSignalBlock() {
  const int error = errno;
  const timespec now{};
  if (!sigismember(&before_, SIGXFSZ)) sigtimedwait(&signals_, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

}  // namespace rezero::detail
