#include "core/kernel.h"

#include <gtest/gtest.h>

#include <string>

namespace rezero {
namespace {

TEST(KernelLevel, IsTheHighestUnlessSet) {
  const KernelLevel highest = highest_kernel_level();
  EXPECT_EQ(kernel_level(), highest);
  use_kernel_level(KernelLevel::plain);
  EXPECT_EQ(kernel_level(), KernelLevel::plain);
  use_kernel_level(highest);
  EXPECT_EQ(kernel_level(), highest);
}

TEST(KernelLevel, RefusesWhatTheProcessorLacks) {
  if (highest_kernel_level() == KernelLevel::x86_64_v4) GTEST_SKIP() << "this processor has all levels";
  const auto next = static_cast<KernelLevel>(static_cast<int>(highest_kernel_level()) + 1);
  EXPECT_THROW(use_kernel_level(next), std::logic_error);
}

/// What this file is compiled for, the processor runs.
TEST(KernelLevel, IsAtLeastThatOfTheProgram) {
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
  EXPECT_GE(highest_kernel_level(), KernelLevel::x86_64_v4);
#elif defined(__AVX2__) && defined(__FMA__)
  EXPECT_GE(highest_kernel_level(), KernelLevel::x86_64_v3);
#elif defined(__SSE4_2__)
  EXPECT_GE(highest_kernel_level(), KernelLevel::x86_64_v2);
#else
  EXPECT_GE(highest_kernel_level(), KernelLevel::plain);
#endif
}

TEST(KernelLevel, HasTheNameThatCompilersUse) {
  EXPECT_EQ(kernel_level_name(KernelLevel::x86_64_v3), std::string("x86-64-v3"));
  EXPECT_EQ(kernel_level_name(KernelLevel::plain), std::string("plain"));
}

}  // namespace
}  // namespace rezero
