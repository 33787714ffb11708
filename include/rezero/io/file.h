#pragma once
/// Reading files and pipes, with a bound on what is read.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rezero/core/types.h"

namespace rezero {

/// What one weight file may hold unless the caller says otherwise: 16 GiB.
constexpr std::uint64_t default_read_limit = std::uint64_t{1} << 34;

/// A regular file or a pipe, open for reading from its beginning.
class FileReader {
 public:
  /// Opens the file; of a named pipe it waits for the writer. IoError when it is missing, may not be read, or
  /// is a directory, a device or a socket.
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// Bytes of a regular file as the file system tells them; nothing for pipes and for files such as those of
  /// /proc, whose size is not known before they are read.
  std::optional<std::uint64_t> size() const;

  /// Appends the next `count` bytes to `out`, fewer only when the file ends there, and says how many. Memory
  /// grows with what arrives, not with `count`. IoError when reading fails, MemoryError when memory ends.
  std::uint64_t read(std::string& out, std::uint64_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Called with the bytes of memory that reading takes at its peak, as far as is known by then, before they
/// are taken; throws MemoryError to refuse.
using MemoryCheck = std::function<void(Real bytes)>;

/// All bytes of a regular file or a pipe. IoError as FileReader, and when there are more than `limit_bytes`:
/// a larger file is refused before anything is read, a pipe once it has passed the bound.
std::string read_file(const std::string& path, std::uint64_t limit_bytes = default_read_limit,
                      const MemoryCheck& require_memory = {});

}  // namespace rezero
