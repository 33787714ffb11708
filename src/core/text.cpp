#include "rezero/core/text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace rezero {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Characters that a terminal may act on or that reorder or break the line: controls (C0, DEL, C1), line and
/// paragraph separators, bidirectional controls, invisible marks, the byte order mark.
bool acts_on_the_line(std::string_view character) {
  const unsigned char first = byte_at(character, 0), second = byte_at(character, 1),
                      third = byte_at(character, 2);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && second < 0xa0;
  if (character == "\xEF\xBB\xBF") return true;
  if (character.size() != 3 || first != 0xe2) return false;
  const bool marks = second == 0x80 && ((third >= 0x8b && third <= 0x8f) || (third >= 0xa8 && third <= 0xae));
  return marks || (second == 0x81 && third >= 0xa0 && third <= 0xaf);
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char text[5];
    std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(c));
    out += text;
  }
  return out;
}

/// Removes the words after a line's last separator, if they are few, since they belong to what follows.
std::string take_loose_end(std::string& line, std::size_t indent) {
  constexpr std::string_view separator = "· ";
  constexpr std::size_t few = 24;
  const std::size_t at = line.rfind(separator);
  const bool whole = line.size() >= 2 && line.compare(line.size() - 2, 2, separator, 0, 2) == 0;
  if (whole || at == std::string::npos || at <= indent || display_width(line.substr(at)) > few) return {};
  const std::string end = line.substr(at + separator.size());
  line.resize(at + separator.size() - 1);
  return end;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const unsigned char first = byte_at(text, 0), second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  // The range of the second byte excludes overlong forms, surrogates and values beyond U+10FFFF.
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i)
    if (i >= text.size() || !is_continuation(text[i])) return 0;
  return length;
}

std::size_t invalid_utf8_at(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(bytes, 1));
    if (at + character.size() > longest) return out + "…";
    out += bytes == 0 || acts_on_the_line(character) ? escaped(character) : std::string(character);
    at += character.size();
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(shown < width ? width - shown : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(text) + std::string(shown < width ? width - shown : 0, ' ');
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  constexpr std::string_view separator = " ·";
  std::string out, line;
  while (!text.empty()) {
    std::size_t end = text.find(' ', text.find_first_not_of(' '));  // of one word and the spaces before it
    if (end != std::string_view::npos && text.substr(end, separator.size()) == separator)
      end += separator.size();
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && display_width(line) + display_width(word) > width) {
      const std::string loose = take_loose_end(line, indent);
      const std::size_t start = loose.empty() ? std::min(word.find_first_not_of(' '), word.size()) : 0;
      out += line + "\n";
      line = std::string(indent, ' ') + loose + std::string(word.substr(start));
    } else {
      line += word;
    }
    text.remove_prefix(word.size());
  }
  return out + line;
}

std::string joined(const std::vector<std::string_view>& words, std::string_view separator) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

std::string joined(const std::vector<Index>& sizes, std::string_view separator) {
  std::string out;
  for (const Index size : sizes) {
    if (!out.empty()) out += separator;
    out += std::to_string(size);
  }
  return out;
}

std::string shortest(Real value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace rezero
