#include "core/kernel.h"

#include <atomic>

#include "rezero/core/contract.h"

namespace rezero {
namespace {

/// __builtin_cpu_supports also asks whether the operating system saves the registers.
KernelLevel detected() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
  if (__builtin_cpu_supports("x86-64-v4")) return KernelLevel::x86_64_v4;
  if (__builtin_cpu_supports("x86-64-v3")) return KernelLevel::x86_64_v3;
  if (__builtin_cpu_supports("x86-64-v2")) return KernelLevel::x86_64_v2;
#elif defined(__x86_64__)
  // Other compilers do not know the levels' names, nor all of their features.
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) return KernelLevel::x86_64_v4;
  if (v3) return KernelLevel::x86_64_v3;
  if (v2) return KernelLevel::x86_64_v2;
#endif
  return KernelLevel::plain;
}

std::atomic<KernelLevel>& level_in_use() {
  static std::atomic<KernelLevel> level{highest_kernel_level()};
  return level;
}

}  // namespace

KernelLevel highest_kernel_level() {
  static const KernelLevel level = detected();
  return level;
}

KernelLevel kernel_level() {
  return level_in_use().load(std::memory_order_relaxed);
}

const char* kernel_level_name(KernelLevel level) {
  switch (level) {
    case KernelLevel::x86_64_v4:
      return "x86-64-v4";
    case KernelLevel::x86_64_v3:
      return "x86-64-v3";
    case KernelLevel::x86_64_v2:
      return "x86-64-v2";
    case KernelLevel::plain:
      break;
  }
  return "plain";
}

void use_kernel_level(KernelLevel level) {
  REZERO_REQUIRE(level <= highest_kernel_level());
  level_in_use().store(level, std::memory_order_relaxed);
}

}  // namespace rezero
