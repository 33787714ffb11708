#include "rezero/core/whole_number.h"

#include <algorithm>
#include <string>

namespace rezero {
namespace {

constexpr std::int64_t largest_exponent = 1'000'000'000;  // far beyond 64 bits, so exponents saturate there

/// value = ±digits · 10^scale, the digits without leading or trailing zeros.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t scale = 0;
};

/// Takes decimal digits from the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads the text after the e; false if it is not an exponent.
bool take_exponent(std::string_view& text, std::int64_t& exponent) {
  const bool negative = !text.empty() && text.front() == '-';
  take(text, "+-");
  const std::string_view digits = take_digits(text);
  for (const char digit : digits) exponent = std::min(exponent * 10 + (digit - '0'), largest_exponent);
  if (negative) exponent = -exponent;
  return !digits.empty();
}

bool parse(std::string_view text, Decimal& out) {
  out.negative = !text.empty() && text.front() == '-';
  take(text, "+-");
  out.digits = take_digits(text);
  if (take(text, ".")) {
    const std::string_view fraction = take_digits(text);
    out.digits += fraction;
    out.scale -= static_cast<std::int64_t>(fraction.size());
  }
  if (out.digits.empty()) return false;
  std::int64_t exponent = 0;
  if (take(text, "eE") && !take_exponent(text, exponent)) return false;
  out.scale += exponent;
  return text.empty();
}

void strip_zeros(Decimal& number) {
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  const std::size_t kept = number.digits.find_last_not_of('0') + 1;
  number.scale += static_cast<std::int64_t>(number.digits.size() - kept);
  number.digits.resize(kept);
}

/// magnitude · 10 + digit; false if that has more than 64 bits.
bool append(std::uint64_t& magnitude, char digit) {
  return !__builtin_mul_overflow(magnitude, std::uint64_t{10}, &magnitude) &&
         !__builtin_add_overflow(magnitude, static_cast<std::uint64_t>(digit - '0'), &magnitude);
}

}  // namespace

WholeNumber read_whole_number(std::string_view text) {
  using Kind = WholeNumber::Kind;
  Decimal number;
  if (!parse(text, number)) return {};
  strip_zeros(number);
  if (number.digits.empty()) return {Kind::whole, false, 0};
  if (number.scale < 0) return {Kind::fraction, number.negative, 0};
  std::uint64_t magnitude = 0;
  bool fits = number.scale < 20;  // 10^20 has more than 64 bits
  for (const char digit : number.digits) fits = fits && append(magnitude, digit);
  for (std::int64_t zeros = 0; fits && zeros < number.scale; ++zeros) fits = append(magnitude, '0');
  return fits ? WholeNumber{Kind::whole, number.negative, magnitude}
              : WholeNumber{Kind::too_large, number.negative, 0};
}

}  // namespace rezero
