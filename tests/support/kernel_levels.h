#pragma once
/// Every level of kernels that this processor has.

#include <gtest/gtest.h>

#include <string>

#include "core/kernel.h"

namespace rezero::testing {

/// f() at each level, lowest first; failures name the level.
template <class F>
void for_each_kernel_level(const F& f) {
  const KernelLevel highest = highest_kernel_level();
  for (int level = 0; level <= static_cast<int>(highest); ++level) {
    SCOPED_TRACE(std::string("at level ") + kernel_level_name(static_cast<KernelLevel>(level)));
    use_kernel_level(static_cast<KernelLevel>(level));
    f();
  }
  use_kernel_level(highest);
}

}  // namespace rezero::testing
