#pragma once
/// Streaming JSON output: there is no document in memory, however long its arrays.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/report/renderer.h"

namespace rezero::detail {

/// Writes values in the order of the calls and adds separators. Numbers have the shortest text that reads
/// back exactly, and always look like reals (`1.0`); numbers that are not finite become null.
class JsonWriter {
 public:
  explicit JsonWriter(Output output) : output_(std::move(output)) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void text(std::string_view value);  ///< a string; bytes that are not UTF-8 become U+FFFD
  void real(Real value);
  void real(const std::optional<Real>& value);
  void integer(std::int64_t value);
  void boolean(bool value);
  void null() { raw("null"); }
  void raw(std::string_view json);  ///< a value that is already JSON

  /// Starts the next element, or closing bracket, on a new line indented by that many spaces.
  void line(int indent) { pending_indent_ = indent; }
  /// Ends a line of a stream of values: a newline, and no comma before the next value.
  void end_line();
  void flush();  ///< passes all text to the output

  void member(std::string_view name, std::string_view value) { key(name), text(value); }
  void member(std::string_view name, const char* value) { key(name), text(value); }
  void member(std::string_view name, Real value) { key(name), real(value); }
  void member(std::string_view name, const std::optional<Real>& value) { key(name), real(value); }
  void member(std::string_view name, Index value) { key(name), integer(value); }
  void member(std::string_view name, bool value) { key(name), boolean(value); }
  void null_member(std::string_view name) { key(name), null(); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void append(std::string_view text);

  Output output_;
  std::string buffer_;
  bool need_comma_ = false;
  std::optional<int> pending_indent_;
};

/// `text` as the inside of a JSON string.
std::string json_escaped(std::string_view text);

}  // namespace rezero::detail
