#include "rezero/core/registry.h"

#include <algorithm>
#include <cstdio>

namespace rezero {
namespace {

/// Optimal string alignment distance: insertions, deletions, substitutions, neighbour swaps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::string_view word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

}  // namespace

std::string closest_name(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > 64) return {};
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) best = distance, found = candidate;
  }
  return std::string(found);
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string unknown_name_message(std::string_view kind, std::string_view word,
                                 const std::vector<std::string_view>& known,
                                 const std::vector<std::string_view>& aliases) {
  std::string message =
      "unknown " + std::string(kind) + " '" + printable(word) + "' (known: " + join(known) + ")";
  std::vector<std::string_view> all = known;
  all.insert(all.end(), aliases.begin(), aliases.end());
  const std::string close = closest_name(word, all);
  if (!close.empty()) message += ". Did you mean '" + close + "'?";
  return message;
}

namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the well-formed UTF-8 character at the front of `text`; 0 if there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if (!is_continuation(text[i])) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool too_large = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || too_large ? 0 : size;
}

/// Characters that a terminal may act on or that reorder or break the line: controls (C0, DEL, C1), line and
/// paragraph separators, bidirectional controls, invisible marks, the byte order mark.
bool acts_on_the_line(std::string_view character) {
  if (character.size() == 1) return character[0] < 0x20 || character[0] == 0x7f;
  const auto byte = [character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (character == "\xEF\xBB\xBF") return true;
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  const bool marks =
      byte(1) == 0x80 && ((byte(2) >= 0x8B && byte(2) <= 0x8F) || (byte(2) >= 0xA8 && byte(2) <= 0xAE));
  return marks || (byte(1) == 0x81 && byte(2) >= 0xA0 && byte(2) <= 0xAF);
}

std::string escaped(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    char text[5];
    std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(c));
    out += text;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = character_bytes(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(bytes, 1));
    if (at + character.size() > longest) return out + "…";
    out += bytes == 0 || acts_on_the_line(character) ? escaped(character) : std::string(character);
    at += character.size();
  }
  return out;
}

}  // namespace rezero
