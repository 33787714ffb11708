/// Any bytes as a plan: parsed, or refused by IoError.
#include <cstddef>
#include <cstdint>

#include "io/strict_json.h"
#include "rezero/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    rezero::parse_strict_json({reinterpret_cast<const char*>(data), size}, "fuzzed");
  } catch (const rezero::IoError&) {
  }
  return 0;
}
