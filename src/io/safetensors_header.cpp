#include "io/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "io/binary.h"
#include "io/json_cursor.h"
#include "io/strict_json.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

constexpr std::string_view metadata_key = "__metadata__";
/// Limits the memory for a hostile header; enough for half a million tensors.
constexpr std::size_t most_values = 5'000'000;

struct DtypeRow {
  TensorDtype dtype;
  std::string_view name;
  Index bytes;
  bool readable = false;
};

constexpr DtypeRow dtypes[] = {{TensorDtype::f64, "F64", 8, true},  {TensorDtype::f32, "F32", 4, true},
                               {TensorDtype::f16, "F16", 2, true},  {TensorDtype::bf16, "BF16", 2, true},
                               {TensorDtype::i64, "I64", 8},        {TensorDtype::i32, "I32", 4},
                               {TensorDtype::i16, "I16", 2},        {TensorDtype::i8, "I8", 1},
                               {TensorDtype::u64, "U64", 8},        {TensorDtype::u32, "U32", 4},
                               {TensorDtype::u16, "U16", 2},        {TensorDtype::u8, "U8", 1},
                               {TensorDtype::boolean, "BOOL", 1},   {TensorDtype::f8_e4m3, "F8_E4M3", 1},
                               {TensorDtype::f8_e5m2, "F8_E5M2", 1}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < std::size(dtypes); ++i)
    if (dtypes[i].dtype != static_cast<TensorDtype>(i)) return false;
  return true;
}
static_assert(rows_are_in_order());

const DtypeRow& row_of(TensorDtype dtype) {
  return dtypes[static_cast<std::size_t>(dtype)];
}

struct ByteRange {
  std::uint64_t begin, end;
  const std::string* name;
};

TensorDtype read_dtype(const JsonCursor& field, OtherDtypes others) {
  std::vector<std::string_view> names;
  for (const DtypeRow& row : dtypes)
    if (row.readable || others == OtherDtypes::listed) names.push_back(row.name);
  const std::string& word = field.one_of("dtype", names);
  return std::find_if(std::begin(dtypes), std::end(dtypes),
                      [&](const DtypeRow& row) { return row.name == word; })
      ->dtype;
}

std::vector<Index> read_shape(const JsonCursor& field) {
  std::vector<Index> shape;
  for (const JsonCursor& axis : field.elements()) {
    if (shape.size() == most_axes) field.fail("more than " + std::to_string(most_axes) + " axes");
    shape.push_back(axis.integer(0));
  }
  return shape;
}

/// Begin and end of the bytes, checked to be in order and to match the shape.
ByteRange read_range(const JsonCursor& field, const TensorInfo& info) {
  const std::vector<JsonCursor> offsets = field.elements();
  if (offsets.size() != 2)
    field.fail("expected two offsets [begin, end], found " + std::to_string(offsets.size()));
  const auto begin = static_cast<std::uint64_t>(offsets[0].integer(0));
  const auto end = static_cast<std::uint64_t>(offsets[1].integer(0));
  if (begin > end)
    field.fail("the end " + std::to_string(end) + " lies before the begin " + std::to_string(begin));
  const std::uint64_t needed = static_cast<std::uint64_t>(info.count) * dtype_bytes(info.dtype);
  if (end - begin != needed)
    field.fail("they hold " + std::to_string(end - begin) + " bytes, but shape " + shape_text(info.shape) +
               " of " + std::string(dtype_name(info.dtype)) + " takes " + std::to_string(needed));
  return {begin, end, nullptr};
}

TensorInfo read_entry(const std::string& name, const JsonCursor& entry, OtherDtypes others,
                      ByteRange& range) {
  if (name.empty()) entry.fail("a tensor without a name");
  entry.only({"dtype", "shape", "data_offsets"});
  TensorInfo info;
  info.name = name;
  info.dtype = read_dtype(entry.at("dtype"), others);
  const JsonCursor shape = entry.at("shape");
  info.shape = read_shape(shape);
  const std::optional<Index> count = element_count(info.shape);
  if (!count || *count > std::numeric_limits<Index>::max() / dtype_bytes(info.dtype))
    shape.fail("the number of bytes overflows");
  info.count = *count;
  range = read_range(entry.at("data_offsets"), info);
  info.begin = range.begin;
  return info;
}

/// Checks that the ranges tile [0, end) without overlaps or gaps, and returns that end.
std::uint64_t require_tiling(std::vector<ByteRange> ranges, const std::string& what) {
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::uint64_t end = 0;
  const std::string* before = nullptr;
  for (const ByteRange& range : ranges) {
    const std::string name = "'" + printable(*range.name) + "'";
    if (range.begin < end)
      throw IoError(what + ": tensor " + name + " overlaps tensor '" + printable(*before) + "'");
    if (range.begin > end)
      throw IoError(what + ": a hole of " + std::to_string(range.begin - end) + " bytes before tensor " +
                    name);
    end = range.end;
    before = range.name;
  }
  return end;
}

void require_utf8(const std::string& text, const std::string& role) {
  if (invalid_utf8_at(text) != std::string_view::npos)
    throw UsageError("the " + role + " '" + printable(text) + "' is not UTF-8");
}

nlohmann::ordered_json metadata_json(const Metadata& metadata) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [key, value] : metadata) {
    require_utf8(key, "metadata key");
    require_utf8(value, "metadata value of '" + key + "'");
    if (object.contains(key)) throw UsageError("the metadata key '" + printable(key) + "' is given twice");
    object[key] = value;
  }
  return object;
}

void require_good_names(const std::vector<TensorLayout>& layout) {
  std::vector<std::string_view> names;
  for (const TensorLayout& tensor : layout) {
    require_utf8(tensor.name, "tensor name");
    if (tensor.name.empty() || tensor.name == metadata_key)
      throw UsageError("'" + tensor.name + "' cannot be the name of a tensor");
    names.push_back(tensor.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw UsageError("two tensors are named '" + printable(*twice) + "'");
}

}  // namespace

Index dtype_bytes(TensorDtype dtype) {
  return row_of(dtype).bytes;
}

SafetensorsHeader parse_safetensors_header(std::string_view json, std::string_view what, OtherDtypes others) {
  const std::string label = printable(what);
  if (json.empty() || json.front() != '{') throw IoError(label + ": the header does not begin with '{'");
  StrictJsonOptions options;
  options.max_values = most_values;
  const nlohmann::ordered_json document = parse_strict_json(json, label + ": the header", options);
  SafetensorsHeader header;
  std::vector<ByteRange> ranges;
  for (const auto& [name, entry] : JsonCursor(document, label + ": header").members()) {
    if (name == metadata_key) {
      for (const auto& [key, value] : entry.members()) header.metadata.emplace_back(key, value.string());
      continue;
    }
    ranges.emplace_back();
    header.tensors.push_back(read_entry(name, entry, others, ranges.back()));
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].name = &header.tensors[i].name;
  header.data_bytes = require_tiling(std::move(ranges), label);
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  return header;
}

std::string safetensors_header_bytes(const Metadata& metadata, const std::vector<TensorLayout>& layout) {
  require_good_names(layout);
  // Entry by entry, since inserting into one ordered object takes quadratic time.
  std::string json = "{";
  if (!metadata.empty()) json += "\"__metadata__\":" + metadata_json(metadata).dump();
  Index at = 0;
  for (const TensorLayout& tensor : layout) {
    const std::optional<Index> count = element_count(tensor.shape);
    Index bytes = 0, end = 0;
    if (!count || __builtin_mul_overflow(*count, Index{8}, &bytes) || __builtin_add_overflow(at, bytes, &end))
      throw ShapeError("tensor '" + printable(tensor.name) + "' of shape " + shape_text(tensor.shape) +
                       " is too large for a file");
    nlohmann::ordered_json entry = {{"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    json += (json.size() > 1 ? "," : "") + nlohmann::ordered_json(tensor.name).dump() + ":" + entry.dump();
    at = end;
  }
  json += "}";
  if (json.size() > longest_header)
    throw UsageError("the header of the file would have " + std::to_string(json.size()) +
                     " bytes, more than the 100 MB that are read (too many tensors)");
  json.append((8 - json.size() % 8) % 8, ' ');
  std::string bytes;
  append_little(bytes, static_cast<std::uint64_t>(json.size()));
  return bytes + json;
}

void require_writable(const TensorLayout& layout, const std::vector<Real>& values) {
  const std::string name = "tensor '" + printable(layout.name) + "'";
  if (element_count(layout.shape) != static_cast<Index>(values.size()))
    throw ShapeError(name + " has " + std::to_string(values.size()) + " numbers, its shape is " +
                     shape_text(layout.shape));
  if (const auto index = first_not_finite(values))
    throw NumericalError(name + " has " + not_finite_text(values, *index));
}

}  // namespace rezero::detail

namespace rezero {

std::string_view dtype_name(TensorDtype dtype) {
  return detail::row_of(dtype).name;
}

bool is_readable(TensorDtype dtype) {
  return detail::row_of(dtype).readable;
}

}  // namespace rezero
