#include "rezero/io/safetensors.h"

#include <algorithm>
#include <cmath>

#include "io/binary.h"
#include "io/safetensors_header.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero {

using namespace detail;

// ---- reading

/// The common steps of reading a file and parsing bytes, in the order of the bytes.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(std::string_view what, OtherDtypes others = OtherDtypes::refused)
      : others_(others) {
    file_.what_ = printable(what);
  }

  /// Reads the 8 bytes of the length field. `known_bytes`: the total size, if known.
  std::uint64_t header_bytes(std::string_view length_field, std::optional<std::uint64_t> known_bytes) const {
    if (length_field.size() < length_bytes) fail("it ends before the header: not a safetensors file");
    const auto length = load<std::uint64_t>(length_field.data());
    if (length > longest_header)
      fail("the header claims " + std::to_string(length) + " bytes, at most 100 MB are read");
    const std::uint64_t left = known_bytes.value_or(0) - std::min(known_bytes.value_or(0), length_bytes);
    if (known_bytes && length > left) fail(cut_short(length, left));
    return length;
  }

  /// Parses the header's JSON and returns how many bytes of tensors must follow.
  std::uint64_t take_header(std::string_view json, std::uint64_t claimed,
                            std::optional<std::uint64_t> known_data_bytes) {
    if (json.size() < claimed) fail(cut_short(claimed, json.size()));
    SafetensorsHeader header = parse_safetensors_header(json, file_.what_, others_);
    file_.metadata_ = std::move(header.metadata);
    file_.tensors_ = std::move(header.tensors);
    if (known_data_bytes) require_data_bytes(header.data_bytes, *known_data_bytes);
    return header.data_bytes;
  }

  void require_data_bytes(std::uint64_t needed, std::uint64_t found) const {
    if (found < needed)
      fail("the tensors take " + std::to_string(needed) + " bytes, but only " + std::to_string(found) +
           " follow the header");
    if (found > needed)
      fail(std::to_string(found - needed) + " bytes follow the last tensor: no tensor describes them");
  }

  SafetensorsFile finish(std::string data, std::size_t begin = 0) {
    file_.data_ = std::move(data), file_.data_begin_ = begin;
    return std::move(file_);
  }

  [[noreturn]] void fail(const std::string& why) const { throw IoError(file_.what_ + ": " + why); }

  static constexpr std::uint64_t length_bytes = 8;

 private:
  static std::string cut_short(std::uint64_t claimed, std::uint64_t left) {
    return "the header claims " + std::to_string(claimed) + " bytes, but only " + std::to_string(left) +
           " follow";
  }

  SafetensorsFile file_;
  OtherDtypes others_;
};

SafetensorsFile parse_safetensors(std::string bytes, std::string_view what, OtherDtypes others) {
  SafetensorsReader reader(what, others);
  constexpr std::uint64_t prefix = SafetensorsReader::length_bytes;
  const std::uint64_t length = reader.header_bytes(bytes, bytes.size());
  const std::uint64_t begin = prefix + length;
  reader.take_header(std::string_view(bytes).substr(prefix, length), length, bytes.size() - begin);
  return reader.finish(std::move(bytes), begin);
}

SafetensorsFile read_safetensors(const std::string& path, std::uint64_t limit_bytes) {
  FileReader input(path);
  SafetensorsReader reader("'" + printable(path) + "'");
  constexpr std::uint64_t prefix = SafetensorsReader::length_bytes;
  std::string field, json, data, beyond;
  input.read(field, prefix);
  const std::optional<std::uint64_t> size = input.size();
  const std::uint64_t length = reader.header_bytes(field, size);
  input.read(json, length);
  const auto known = size ? std::optional<std::uint64_t>(*size - prefix - length) : std::nullopt;
  const std::uint64_t data_bytes = reader.take_header(json, length, known);
  // Written without a sum, because a pipe's header may claim any number.
  if (limit_bytes < prefix + length || data_bytes > limit_bytes - prefix - length)
    reader.fail("its tensors take " + std::to_string(data_bytes) + " bytes, the limit for the file is " +
                std::to_string(limit_bytes));
  const std::uint64_t found = input.read(data, data_bytes);
  reader.require_data_bytes(data_bytes, found + input.read(beyond, 1));
  return reader.finish(std::move(data));
}

const std::string* SafetensorsFile::find_metadata(std::string_view key) const {
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const auto& entry) { return entry.first == key; });
  return found == metadata_.end() ? nullptr : &found->second;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const TensorInfo& info, std::string_view key) { return info.name < key; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  const TensorInfo* info = find(name);
  if (!info) throw IoError(what_ + ": there is no tensor '" + printable(name) + "'");
  return *info;
}

namespace {

/// place(i) = the i-th number, up to the first that is not finite, whose index is returned.
template <class Bits, Real (*to_real)(Bits), class Place>
std::optional<Index> convert_all(const char* bytes, Index count, const Place& place) {
  for (Index i = 0; i < count; ++i) {
    const Real value = to_real(load<Bits>(bytes + i * static_cast<Index>(sizeof(Bits))));
    place(i) = value;
    if (!std::isfinite(value)) return i;
  }
  return std::nullopt;
}

template <class Place>
std::optional<Index> convert(const TensorInfo& info, const char* bytes, const Place& place) {
  switch (info.dtype) {
    case TensorDtype::f64:
      return convert_all<std::uint64_t, real_of_binary64>(bytes, info.count, place);
    case TensorDtype::f32:
      return convert_all<std::uint32_t, real_of_binary32>(bytes, info.count, place);
    case TensorDtype::f16:
      return convert_all<std::uint16_t, real_of_binary16>(bytes, info.count, place);
    case TensorDtype::bf16:
      return convert_all<std::uint16_t, real_of_bfloat16>(bytes, info.count, place);
    default:
      break;  // refused before
  }
  return std::nullopt;
}

}  // namespace

template <class Place>
void SafetensorsFile::decode(const TensorInfo& info, Place&& place) const {
  if (!is_readable(info.dtype))
    throw IoError(what_ + ": tensor '" + printable(info.name) + "' has dtype " +
                  std::string(dtype_name(info.dtype)) + " (numbers are read from F64, F32, F16 and BF16)");
  if (const auto index = convert(info, data_.data() + data_begin_ + info.begin, place))
    throw IoError(what_ + ": tensor '" + printable(info.name) + "' has " +
                  not_finite_text(place(*index), static_cast<std::size_t>(*index)));
}

Tensor SafetensorsFile::tensor(std::string_view name) const {
  const TensorInfo& info = at(name);
  Tensor tensor{info.name, info.shape, std::vector<Real>(static_cast<std::size_t>(info.count))};
  decode(info, [&](Index i) -> Real& { return tensor.values[static_cast<std::size_t>(i)]; });
  return tensor;
}

Matrix SafetensorsFile::matrix(std::string_view name, Index rows, Index cols) const {
  const TensorInfo& info = at(name);
  REZERO_REQUIRE(info.count == rows * cols);
  Matrix matrix(rows, cols);
  decode(info, [&](Index i) -> Real& { return matrix(i / cols, i % cols); });
  return matrix;
}

void SafetensorsFile::require_finite() const {
  for (const TensorInfo& info : tensors_) tensor(info.name);
}

// ---- writing

SafetensorsWriter::SafetensorsWriter(AtomicFile& file, const Metadata& metadata,
                                     std::vector<TensorLayout> layout)
    : file_(file), layout_(std::move(layout)) {
  file_.append(safetensors_header_bytes(metadata, layout_));
}

void SafetensorsWriter::append(const std::vector<Real>& values) {
  REZERO_REQUIRE(next_ < layout_.size());
  require_writable(layout_[next_++], values);
  std::string bytes;
  append_reals(bytes, values.data(), values.size());
  file_.append(bytes);
}

void SafetensorsWriter::finish() const {
  REZERO_REQUIRE(next_ == layout_.size());
}

std::string safetensors_bytes(const Metadata& metadata, const std::vector<Tensor>& tensors) {
  std::vector<TensorLayout> layout;
  for (const Tensor& tensor : tensors) layout.push_back({tensor.name, tensor.shape});
  std::string bytes = safetensors_header_bytes(metadata, layout);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    require_writable(layout[i], tensors[i].values);
    append_reals(bytes, tensors[i].values.data(), tensors[i].values.size());
  }
  return bytes;
}

}  // namespace rezero
