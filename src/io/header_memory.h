#pragma once
/// Memory of reading a safetensors file.

#include <algorithm>
#include <string>

#include "io/binary.h"

namespace rezero::detail {

// Memory of a header parsed as a document, relative to its text; the spec inside is parsed once more.
// Measured.
constexpr Real document_bytes = 10;

/// Memory in use while a stack is built from the file: its bytes and the documents of its header.
inline Real bytes_of_parsing(const std::string& bytes) {
  std::uint64_t header = 0;
  if (bytes.size() >= sizeof header)
    header = std::min<std::uint64_t>(load<std::uint64_t>(bytes.data()), bytes.size());
  return static_cast<Real>(bytes.size()) + document_bytes * static_cast<Real>(header);
}

}  // namespace rezero::detail
