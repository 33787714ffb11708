#pragma once
/// The loops behind simulated_rounding.h. Only operations that every processor rounds alike.

#include "core/kernel.h"

namespace rezero::detail {

struct RoundingKernel {
  /// out[i] = x[i] · factor(mixed(bits of x[i] xor key)).
  void (*round)(const Real* x, Index n, std::uint64_t key, Real* out);
  /// out[i] = factor(mixed(key + i)).
  void (*factors)(Index n, std::uint64_t key, Real* out);
};
REZERO_KERNEL(RoundingKernel, rounding_kernel)

/// The finalizer of splitmix64 (Steele, Lea & Flood 2014): a bijection of 64 bits that looks random.
static inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace rezero::detail
