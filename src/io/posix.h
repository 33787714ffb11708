#pragma once
/// What reading and writing files share. Linux and other POSIX systems.

#include <string>

namespace rezero::detail {

/// An open file descriptor, closed at the end of its life; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// 0, or the errno of close(2): the last place where a network file system reports a failed write.
  int close();

 private:
  int fd_;
};

/// What the system says about an errno.
std::string error_text(int error);
/// The path in quotes, safe for one line of output.
std::string quoted(const std::string& path);
/// `a directory`, `a device`, `a socket`, … for the st_mode of something that is no regular file.
std::string kind_of_file(unsigned mode);

}  // namespace rezero::detail
