#pragma once
/// Numbers in the bytes of a file, independent of the byte order of the machine, and sizes that cannot
/// overflow.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "rezero/core/types.h"

namespace rezero::detail {

/// Limit on the number of axes, the same as NumPy's.
constexpr std::size_t most_axes = 64;

enum class ByteOrder { little, big };

/// The order of this machine.
constexpr ByteOrder native_order =
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ByteOrder::big : ByteOrder::little;

/// The unsigned integer of sizeof(U) bytes at `bytes`, which need not be aligned.
template <class U>
U load(const char* bytes, ByteOrder order = ByteOrder::little) {
  U value;
  if (order == native_order) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  char reversed[sizeof(U)];
  for (std::size_t i = 0; i < sizeof(U); ++i) reversed[i] = bytes[sizeof(U) - 1 - i];
  std::memcpy(&value, reversed, sizeof value);
  return value;
}

/// Appends sizeof(U) bytes, the lowest first.
template <class U>
void append_little(std::string& out, U value) {
  for (std::size_t i = 0; i < sizeof(U); ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// Appends doubles as little-endian binary64.
void append_reals(std::string& out, const Real* values, std::size_t count);

/// The same bits as another type of that size.
template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// IEEE 754 formats to double, exactly: every value of the narrower format is a double.
inline Real real_of_binary64(std::uint64_t bits) {
  return bits_as<Real>(bits);
}
inline Real real_of_binary32(std::uint32_t bits) {
  return static_cast<Real>(bits_as<float>(bits));
}
/// bfloat16 is the upper half of a binary32.
inline Real real_of_bfloat16(std::uint16_t bits) {
  return real_of_binary32(static_cast<std::uint32_t>(bits) << 16);
}
Real real_of_binary16(std::uint16_t bits);

/// Product of the axes. Absent if it, or the product of the non-zero axes, does not fit into an Index (the
/// latter so that no partial product overflows later). Without axes it is 1.
std::optional<Index> element_count(const std::vector<Index>& shape);

/// `3x4`, or `scalar` without axes: for messages.
std::string shape_text(const std::vector<Index>& shape);

/// Position of the first NaN or infinity, if any.
std::optional<std::size_t> first_not_finite(const std::vector<Real>& values);
/// `a NaN at index 17`, `an infinity at index 3`.
std::string not_finite_text(Real value, std::size_t index);
std::string not_finite_text(const std::vector<Real>& values, std::size_t index);

}  // namespace rezero::detail
