#pragma once
/// Files that grow line by line, for results that are useful before the last one is complete.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace rezero {

/// Assembles pieces of text into whole lines.
class LineBuffer {
 public:
  /// Passes everything up to the last line end to one call of `write`, and keeps the rest.
  void append(std::string_view text, const std::function<void(std::string_view)>& write);

 private:
  std::string rest_;
};

/// A file that only ever contains whole lines: each is written as soon as it is complete. The target is
/// emptied first. It keeps its permissions, symbolic links are followed, and pipes, devices and open
/// descriptors (/dev/stdout) are written as they are.
///
/// Every failure is an IoError with path and reason; an incomplete line is removed again.
class LineFile {
 public:
  /// IoError if the folder is missing or not writable, or if the target is a directory or write-protected.
  explicit LineFile(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void append(std::string_view text);
  /// Waits until everything is on disk, and closes the file. Call once, last, after a whole line.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rezero
