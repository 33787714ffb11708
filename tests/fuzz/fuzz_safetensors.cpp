/// Any bytes as a safetensors file: all tensors converted, or IoError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "rezero/core/error.h"
#include "rezero/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const rezero::SafetensorsFile file =
        rezero::parse_safetensors(std::string(reinterpret_cast<const char*>(data), size), "fuzzed");
    file.require_finite();
    for (const rezero::TensorInfo& info : file.tensors()) file.tensor(info.name);
  } catch (const rezero::IoError&) {
  }
  return 0;
}
