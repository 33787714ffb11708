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
  // Two digits of the error; relative to 10^shift, the last one is at this decimal.
  const int decimals = std::max(0, shift + 1 - static_cast<int>(std::floor(std::log10(*standard_error))));
  if (decimals > 5) return short_number(mean);
  const auto scaled = [&](Real value) { return value / std::pow(10, shift); };
  const long long units = std::llround(scaled(*standard_error) * std::pow(10, decimals));
  std::string text = format("%.*f", decimals, scaled(mean)) + "(" + std::to_string(units) + ")";
  return shift == 0 ? text : text + "e" + std::to_string(shift);
}

std::string source_text(const CellLabels& labels) {
  return labels.scheme ? labels.scheme->canonical() : printable(labels.stack);
}

std::string place_text(const CellLabels& labels, Index depth) {
  std::string text = source_text(labels) + " depth " + std::to_string(depth);
  if (labels.seeded) text += " seed " + std::to_string(labels.seed);
  if (labels.sample) text += " sample " + std::to_string(*labels.sample);
  return text;
}

}  // namespace rezero::detail
