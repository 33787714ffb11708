#include "rezero/io/npy.h"

#include <algorithm>
#include <cstdint>

#include "io/binary.h"
#include "io/npy_header.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero {

using namespace detail;

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t preamble = 8;  // magic, major and minor version

/// The preamble, the length field and the header; the numbers follow.
struct Parts {
  NpyHeader header;
  std::string_view data;
};

Parts take_apart(std::string_view bytes, const std::string& what) {
  if (bytes.substr(0, magic.size()) != magic || bytes.size() < preamble)
    throw IoError(what + ": no .npy file");
  const int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw IoError(what + ": .npy version " + std::to_string(major) + "." + std::to_string(minor) +
                  " is unknown (known: 1.0, 2.0, 3.0)");
  const std::size_t field = major == 1 ? 2 : 4;
  if (bytes.size() < preamble + field) throw IoError(what + ": it ends before the header");
  const std::size_t length = major == 1 ? load<std::uint16_t>(bytes.data() + preamble)
                                        : load<std::uint32_t>(bytes.data() + preamble);
  const std::string_view rest = bytes.substr(preamble + field);
  if (length > rest.size())
    throw IoError(what + ": the header claims " + std::to_string(length) + " bytes, but only " +
                  std::to_string(rest.size()) + " follow");
  return {parse_npy_header(rest.substr(0, length), what), rest.substr(length)};
}

/// Every shape accepted here has its numbers in the file, so a false header cannot cause an allocation.
Index checked_count(const Parts& parts, const std::string& what) {
  const std::optional<Index> count = element_count(parts.header.shape);
  Index bytes = 0;
  if (!count || __builtin_mul_overflow(*count, Index{parts.header.item_bytes}, &bytes))
    throw IoError(what + ": the shape overflows");
  if (bytes != static_cast<Index>(parts.data.size()))
    throw IoError(what + ": shape " + shape_text(parts.header.shape) + " takes " + std::to_string(bytes) +
                  " bytes, but " + std::to_string(parts.data.size()) + " follow the header");
  return *count;
}

/// An integer as a double. IoError if the conversion would change it.
template <class Integer>
Real exact_real(Integer value) {
  const Real real = static_cast<Real>(value);
  // 2^64 and 2^63 are out of range for the type; converting them back would be undefined.
  const bool in_range = real < (std::is_signed_v<Integer> ? 9223372036854775808.0 : 18446744073709551616.0);
  if (!in_range || static_cast<Integer>(real) != value)
    throw IoError("the integer " + std::to_string(value) + " is not a double: save it as float64");
  return real;
}

template <class Bits, class Convert>
void convert_all(const Parts& parts, std::vector<Real>& values, Convert to_real) {
  const char* at = parts.data.data();
  const ByteOrder order = parts.header.order;
  for (Real& value : values) {
    value = to_real(order == ByteOrder::little ? load<Bits>(at) : load<Bits>(at, ByteOrder::big));
    at += sizeof(Bits);
  }
}

template <class Bits>
void convert_integers(const Parts& parts, std::vector<Real>& values) {
  using Signed = std::make_signed_t<Bits>;
  if (parts.header.kind == 'u')
    convert_all<Bits>(parts, values, [](Bits bits) { return exact_real(std::uint64_t{bits}); });
  else
    convert_all<Bits>(parts, values,
                      [](Bits bits) { return exact_real(std::int64_t{bits_as<Signed>(bits)}); });
}

void convert_values(const Parts& parts, std::vector<Real>& values) {
  const bool real = parts.header.kind == 'f';
  switch (parts.header.item_bytes) {
    case 1:
      return convert_integers<std::uint8_t>(parts, values);
    case 2:
      return real ? convert_all<std::uint16_t>(parts, values, real_of_binary16)
                  : convert_integers<std::uint16_t>(parts, values);
    case 4:
      return real ? convert_all<std::uint32_t>(parts, values, real_of_binary32)
                  : convert_integers<std::uint32_t>(parts, values);
    default:
      return real ? convert_all<std::uint64_t>(parts, values, real_of_binary64)
                  : convert_integers<std::uint64_t>(parts, values);
  }
}

/// First axis fastest → last axis fastest. The Fortran position is updated as the C position increases.
std::vector<Real> to_row_major(const std::vector<Index>& shape, const std::vector<Real>& values) {
  std::vector<Index> stride(shape.size(), 1), position(shape.size(), 0);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  std::vector<Real> out;
  out.reserve(values.size());
  Index from = 0;
  while (out.size() < values.size()) {
    out.push_back(values[static_cast<std::size_t>(from)]);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++position[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      position[axis] = 0;
    }
  }
  return out;
}

NpyArray parse(std::string_view bytes, const std::string& what, const MemoryCheck& require_memory = {}) {
  const Parts parts = take_apart(bytes, what);
  NpyArray array{parts.header.shape, {}};
  const Index count = checked_count(parts, what);
  if (require_memory)
    require_memory(static_cast<Real>(bytes.size()) + 2 * static_cast<Real>(count) * sizeof(Real));
  array.values.resize(static_cast<std::size_t>(count));
  try {
    convert_values(parts, array.values);
  } catch (const IoError& error) {
    throw IoError(what + ": " + error.what());
  }
  if (parts.header.fortran_order) array.values = to_row_major(array.shape, array.values);
  if (const auto index = first_not_finite(array.values))
    throw IoError(what + " has " + not_finite_text(array.values, *index));
  return array;
}

}  // namespace

NpyArray parse_npy(std::string_view bytes, std::string_view what, const MemoryCheck& require_memory) {
  return parse(bytes, printable(what), require_memory);
}

NpyArray read_npy(const std::string& path, std::uint64_t limit_bytes) {
  return parse(read_file(path, limit_bytes), "'" + printable(path) + "'");
}

std::string npy_bytes(const NpyArray& array) {
  const auto count = static_cast<Index>(array.values.size());
  if (array.shape.size() > most_axes || element_count(array.shape) != count)
    throw ShapeError(std::to_string(count) + " numbers do not make an array of shape " +
                     shape_text(array.shape));
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    header += (i == 0 ? "" : " ") + std::to_string(array.shape[i]) +
              (i == 0 || i + 1 < array.shape.size() ? "," : "");
  header += "), }";
  // The numbers begin at a multiple of 64 bytes; the header ends in a line break.
  const std::size_t before = preamble + 2 + header.size() + 1;
  header.append((64 - before % 64) % 64, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00'};
  append_little(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  append_reals(bytes, array.values.data(), array.values.size());
  return bytes;
}

}  // namespace rezero
