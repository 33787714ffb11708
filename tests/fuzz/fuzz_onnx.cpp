/// Any bytes as an ONNX model, and as a tensor in a file of its own: parsed, or refused by IoError.
#include <cstddef>
#include <cstdint>

#include "rezero/core/error.h"
#include "rezero/onnx/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    rezero::onnx::parse_model(bytes, "fuzzed/fuzzed.onnx");
  } catch (const rezero::IoError&) {
  }
  try {
    rezero::onnx::parse_tensor(bytes, "fuzzed/fuzzed.pb");
  } catch (const rezero::IoError&) {
  }
  return 0;
}
