#pragma once
/// Writing files that appear whole or not at all.

#include <memory>
#include <string>
#include <string_view>

namespace rezero {

/// A file being written. The content goes to a temporary file in the folder of the target and takes its place
/// in commit(); without commit() the target stays as it was and nothing is left behind. The permissions of an
/// existing target are kept, a new one gets those the umask leaves; a symbolic link stays and what it points
/// to is replaced. A target that exists and is no regular file (a pipe, a device), or names an open
/// descriptor (/dev/stdout, /dev/fd/3), is written directly.
///
/// Every failure is an IoError with path and reason (no space left, file size limit, …), after which the
/// temporary file is gone.
class AtomicFile {
 public:
  /// Creates the temporary file. IoError for a folder that is missing or may not be written, a target that
  /// is a directory or is write-protected.
  explicit AtomicFile(const std::string& path);
  /// Throws away what was not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Adds bytes at the end. Small pieces are collected.
  void append(std::string_view bytes);
  /// Hands on what was collected: a reader of a pipe sees it now.
  void flush();
  /// Writes everything, waits until it is on the disk, and puts it in place. Call once, last.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole content at once. IoError as AtomicFile.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace rezero
