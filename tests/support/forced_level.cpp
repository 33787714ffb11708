/// With REZERO_TEST_KERNEL_LEVEL=plain, x86-64-v2, …, a test program or benchmark uses that level of kernels
/// throughout; if the processor does not have it, it exits with 77.

#include <cstdlib>
#include <string>

#include "core/kernel.h"

namespace {

[[maybe_unused]] const bool forced = [] {
  const char* const wanted = std::getenv("REZERO_TEST_KERNEL_LEVEL");
  if (wanted == nullptr) return false;
  for (int level = 0; level <= static_cast<int>(rezero::highest_kernel_level()); ++level)
    if (kernel_level_name(static_cast<rezero::KernelLevel>(level)) == std::string(wanted)) {
      use_kernel_level(static_cast<rezero::KernelLevel>(level));
      return true;
    }
  std::_Exit(77);
}();

}  // namespace
