#include "random/rounding_kernel.h"

#include <cstring>

namespace rezero::detail {
namespace {

constexpr Real size = 8 * 0x1p-52;

/// 1 + size · u, u in (−1, 1) from the upper 53 bits.
Real factor(std::uint64_t bits) {
  return 1 + size * (static_cast<Real>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-52 - 1);
}

void round(const Real* x, Index n, std::uint64_t key, Real* out) {
  for (Index i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    out[i] = x[i] * factor(mixed(bits ^ key));
  }
}

void factors(Index n, std::uint64_t key, Real* out) {
  for (Index i = 0; i < n; ++i) out[i] = factor(mixed(key + static_cast<std::uint64_t>(i)));
}

}  // namespace

REZERO_KERNEL_TABLE(RoundingKernel, rounding_kernel) = {round, factors};

}  // namespace rezero::detail
