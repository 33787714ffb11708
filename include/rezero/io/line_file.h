#pragma once
/// Writing files that grow line by line, for results that are of use before the last one is there.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace rezero {

/// Pieces of text put together to whole lines.
class LineBuffer {
 public:
  /// Hands on everything up to the last line end in one call of `write`, and keeps the rest.
  void append(std::string_view text, const std::function<void(std::string_view)>& write);

 private:
  std::string rest_;
};

/// A file that only ever holds whole lines: each is written at once when it is complete. The target is
/// emptied first; its permissions are kept, a symbolic link is followed, and pipes, devices and open
/// descriptors
/// (/dev/stdout) are written as they are.
///
/// Every failure is an IoError with path and reason; what was written of the line at fault is cut off again.
class LineFile {
 public:
  /// IoError for a folder that is missing or may not be written, a target that is a directory or is
  /// write-protected.
  explicit LineFile(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void append(std::string_view text);
  /// Waits until everything is on the disk, and closes the file. Call once, last, after a whole line.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rezero
