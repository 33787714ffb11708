/// Any bytes as an .npy file: an array that survives a round trip, or IoError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "rezero/core/error.h"
#include "rezero/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const rezero::NpyArray read = rezero::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzzed");
    const rezero::NpyArray again = rezero::parse_npy(rezero::npy_bytes(read), "written");
    if (again.shape != read.shape || again.values != read.values) std::abort();
  } catch (const rezero::IoError&) {
  }
  return 0;
}
