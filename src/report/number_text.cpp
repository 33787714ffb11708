#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

std::string format(const char* pattern, int digits, Real value) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, digits, value);
  return text;
}

bool is_plain(Real magnitude) {
  return magnitude == 0 || (magnitude >= 1e-3 && magnitude < 1e5);
}

/// m·10^e with m of three digits.
std::string scientific(Real mantissa, int exponent) {
  std::string digits = format("%.*f", 2, mantissa);
  if (digits.size() > 4) digits = format("%.*f", 2, mantissa / 10), ++exponent;
  return digits + "e" + std::to_string(exponent);
}

/// Takes the words after a line's last separator off it, if they are few: they belong to what follows.
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

std::string power_text(Real log10) {
  const Real exponent = std::floor(log10);
  return scientific(std::pow(10, log10 - exponent), static_cast<int>(exponent));
}

}  // namespace

std::string short_number(Real value) {
  if (!std::isfinite(value)) return "–";
  const Real magnitude = std::abs(value);
  if (!is_plain(magnitude)) return (value < 0 ? "-" : "") + power_text(std::log10(magnitude));
  if (value == std::floor(value) || magnitude >= 9999.5) return format("%.*f", 0, value);
  const std::string digits = format("%#.*g", 4, value);
  return digits.back() == '.' ? digits.substr(0, digits.size() - 1) : digits;
}

std::string short_power(Real log10) {
  if (!std::isfinite(log10)) return log10 < 0 ? "0" : "–";
  return log10 >= -300 && log10 <= 300 ? short_number(std::pow(10, log10)) : power_text(log10);
}

std::string uncertain_number(Real mean, std::optional<Real> standard_error) {
  if (!standard_error || !(*standard_error > 0) || !std::isfinite(*standard_error) || !std::isfinite(mean))
    return short_number(mean);
  const Real largest = std::max(std::abs(mean), *standard_error);
  const int shift = is_plain(largest) ? 0 : static_cast<int>(std::floor(std::log10(largest)));
  // Two digits of the error; relative to 10^shift its last one stands at this many decimals.
  const int decimals = std::max(0, shift + 1 - static_cast<int>(std::floor(std::log10(*standard_error))));
  if (decimals > 5) return short_number(mean);
  const auto scaled = [&](Real value) { return value / std::pow(10, shift); };
  const long long units = std::llround(scaled(*standard_error) * std::pow(10, decimals));
  std::string text = format("%.*f", decimals, scaled(mean)) + "(" + std::to_string(units) + ")";
  return shift == 0 ? text : text + "e" + std::to_string(shift);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
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

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(shown < width ? width - shown : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(text) + std::string(shown < width ? width - shown : 0, ' ');
}

std::string source_text(const CellLabels& labels) {
  return labels.scheme ? labels.scheme->canonical() : printable(labels.stack);
}

}  // namespace rezero::detail
