#include "io/posix.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "rezero/core/registry.h"

namespace rezero::detail {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
}

std::string error_text(int error) {
  return std::generic_category().message(error);
}

std::string quoted(const std::string& path) {
  return "'" + printable(path) + "'";
}

std::string kind_of_file(unsigned mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISFIFO(mode) ? "a pipe" : "no regular file";
}

}  // namespace rezero::detail
