#include "report/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "rezero/core/text.h"

namespace rezero::detail {
namespace {

constexpr std::size_t flush_at = 1 << 16;

std::string escaped_ascii(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) return std::string(1, c);
  char code[7];
  std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
  return code;
}

}  // namespace

std::string json_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += "\xef\xbf\xbd";
    else if (length == 1)
      out += escaped_ascii(text[0]);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void JsonWriter::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= flush_at) flush();
}

void JsonWriter::flush() {
  if (!buffer_.empty()) output_(buffer_);
  buffer_.clear();
}

void JsonWriter::separate() {
  if (need_comma_) append(pending_indent_ ? "," : ", ");
  if (pending_indent_) append("\n" + std::string(static_cast<std::size_t>(*pending_indent_), ' '));
  pending_indent_.reset();
}

void JsonWriter::open(char bracket) {
  separate();
  append({&bracket, 1});
  need_comma_ = false;
}

void JsonWriter::close(char bracket) {
  need_comma_ = false;
  separate();
  append({&bracket, 1});
  need_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append("\"" + json_escaped(name) + "\": ");
  need_comma_ = false;
}

void JsonWriter::raw(std::string_view json) {
  separate();
  append(json);
  need_comma_ = true;
}

void JsonWriter::text(std::string_view value) {
  raw("\"" + json_escaped(value) + "\"");
}

void JsonWriter::real(Real value) {
  if (!std::isfinite(value)) return null();
  char digits[40];
  char* end = std::to_chars(digits, digits + 32, value).ptr;
  if (std::string_view(digits, static_cast<std::size_t>(end - digits)).find_first_of(".e") ==
      std::string_view::npos)
    *end++ = '.', *end++ = '0';
  raw({digits, static_cast<std::size_t>(end - digits)});
}

void JsonWriter::real(const std::optional<Real>& value) {
  value ? real(*value) : null();
}

void JsonWriter::integer(std::int64_t value) {
  raw(std::to_string(value));
}

void JsonWriter::boolean(bool value) {
  raw(value ? "true" : "false");
}

void JsonWriter::end_line() {
  append("\n");
  need_comma_ = false;
  flush();
}

}  // namespace rezero::detail
