#include "io/binary.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/text.h"

namespace rezero::detail {

void append_reals(std::string& out, const Real* values, std::size_t count) {
  if constexpr (native_order == ByteOrder::little) {
    out.append(reinterpret_cast<const char*>(values), 8 * count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) append_little(out, bits_as<std::uint64_t>(values[i]));
}

/// 1 sign bit, 5 of exponent with bias 15, 10 of fraction: IEEE 754-2019, table 3.5.
Real real_of_binary16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  const Real sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

std::optional<Index> element_count(const std::vector<Index>& shape) {
  Index product = 1;
  bool empty = false;
  for (Index axis : shape) {
    if (axis < 0) return std::nullopt;
    if (axis == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, axis, &product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

std::string shape_text(const std::vector<Index>& shape) {
  return shape.empty() ? "scalar" : joined(shape, "x");
}

std::optional<std::size_t> first_not_finite(const std::vector<Real>& values) {
  const auto found = std::find_if(values.begin(), values.end(), [](Real v) { return !std::isfinite(v); });
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

std::string not_finite_text(Real value, std::size_t index) {
  return (std::isnan(value) ? "a NaN at index " : "an infinity at index ") + std::to_string(index);
}

std::string not_finite_text(const std::vector<Real>& values, std::size_t index) {
  return not_finite_text(values[index], index);
}

}  // namespace rezero::detail
