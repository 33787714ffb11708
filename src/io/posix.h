#pragma once
/// Shared by reading and writing. Linux and other POSIX systems.

#include <string>

namespace rezero::detail {

/// An open file descriptor, closed by the destructor; -1 for none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// 0, or the errno of close(2), where a network file system reports a failed write at the latest.
  int close();

 private:
  int fd_;
};

/// The system's description of an errno.
std::string error_text(int error);
/// The path in quotes, safe for one line of output.
std::string quoted(const std::string& path);
/// `a directory`, `a device`, `a socket`, … for the st_mode of anything that is not a regular file.
std::string kind_of_file(unsigned mode);

}  // namespace rezero::detail
