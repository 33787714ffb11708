#pragma once
/// Files that are written completely or not at all.

#include <memory>
#include <string>
#include <string_view>

namespace rezero {

/// A file being written. The content goes to a temporary file in the target's folder, and commit() moves it
/// into place. Without commit() the target is unchanged and nothing is left behind. An existing target keeps
/// its permissions; a new one gets those of the umask. A symbolic link remains, and its target is replaced.
/// If the target exists and is not a regular file (a pipe, a device), or names an open descriptor
/// (/dev/stdout, /dev/fd/3), it is written directly.
///
/// Every failure is an IoError with path and reason (no space left, file size limit, …); the temporary file
/// is removed first.
class AtomicFile {
 public:
  /// Creates the temporary file. IoError if the folder is missing or not writable, or if the target is a
  /// directory or write-protected.
  explicit AtomicFile(const std::string& path);
  /// Discards anything not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes. Small pieces are buffered.
  void append(std::string_view bytes);
  /// Writes the buffer, so that the reader of a pipe sees it now.
  void flush();
  /// Writes everything, waits until it is on disk, and moves it into place. Call once, last.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes the whole content at once. IoError as for AtomicFile.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace rezero
