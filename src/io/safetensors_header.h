#pragma once
/// Reading and writing the JSON header of a safetensors file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/io/safetensors.h"

namespace rezero::detail {

/// Longer headers are refused, as in the reference implementation.
constexpr std::uint64_t longest_header = 100'000'000;

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorInfo> tensors;  ///< sorted by name
  std::uint64_t data_bytes = 0;     ///< bytes filled by the tensors, without gaps or overlap
};

Index dtype_bytes(TensorDtype dtype);

/// IoError naming `what` for everything that read_safetensors refuses in the header itself.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::string_view what, OtherDtypes others);

/// Length field and padded JSON of a file with F64 tensors in this order; errors as for SafetensorsWriter.
std::string safetensors_header_bytes(const Metadata& metadata, const std::vector<TensorLayout>& layout);

/// Errors of SafetensorsWriter::append.
void require_writable(const TensorLayout& layout, const std::vector<Real>& values);

}  // namespace rezero::detail
