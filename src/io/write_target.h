#pragma once
/// The destination of a file to be written, and the signal that must not end the process.

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>

namespace rezero::detail {

struct WriteTarget {
  enum class Kind {
    replace,     ///< a new file, or a regular one to be replaced
    direct,      ///< an existing file that is not regular
    descriptor,  ///< an open descriptor of this process
  };
  Kind kind = Kind::replace;
  std::string given;           ///< as the user wrote it
  std::string path;            ///< with symbolic links followed
  std::string folder;          ///< folder of `path`
  std::optional<mode_t> mode;  ///< permissions of the file to be replaced
  int descriptor = -1;
};

/// IoError for a directory, a write-protected file, and a path that cannot be followed.
WriteTarget find_write_target(const std::string& path);

/// During its lifetime, exceeding the file size limit gives EFBIG on this thread instead of the signal
/// SIGXFSZ.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock();
  ~FileSizeSignalBlock();
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;

 private:
  sigset_t signals_{}, before_{};
};

}  // namespace rezero::detail
