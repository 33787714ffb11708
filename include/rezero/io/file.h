#pragma once
/// Reading files and pipes, up to a limit.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rezero/core/types.h"

namespace rezero {

/// Default size limit of a weight file: 16 GiB.
constexpr std::uint64_t default_read_limit = std::uint64_t{1} << 34;

/// A regular file or a pipe, open for reading from its beginning.
class FileReader {
 public:
  /// Opens the file; for a named pipe, waits for the writer. IoError if it is missing, not readable, or a
  /// directory, a device or a socket.
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// Size of a regular file according to the file system. Absent for pipes, and for files such as those in
  /// /proc, whose size is unknown before they are read.
  std::optional<std::uint64_t> size() const;

  /// Appends the next `count` bytes to `out`, or fewer at the end of the file, and returns their number.
  /// Memory grows with the bytes that arrive, not with `count`. IoError if reading fails, MemoryError if
  /// memory runs out.
  std::uint64_t read(std::string& out, std::uint64_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Called with the peak memory that reading will take, as far as known, before it is allocated. Throws
/// MemoryError to refuse.
using MemoryCheck = std::function<void(Real bytes)>;

/// All bytes of a regular file or a pipe. IoError as for FileReader, and for more than `limit_bytes`: a
/// larger file is refused before anything is read, a pipe when it exceeds the limit.
std::string read_file(const std::string& path, std::uint64_t limit_bytes = default_read_limit,
                      const MemoryCheck& require_memory = {});

}  // namespace rezero
