#pragma once
/// Eight numbers processed together, at any address: one 512-bit register, or two of 256 bits. For kernels,
/// too (core/kernel.h).

#include "core/kernel.h"

namespace rezero::detail {

constexpr Index octet_size = 8;
typedef Real Octet __attribute__((vector_size(sizeof(Real) * octet_size)));
typedef Real LooseOctet
    __attribute__((vector_size(sizeof(Real) * octet_size), aligned(alignof(Real)), may_alias));

/// The eight numbers starting there. By reference, because passing or returning a vector has no calling
/// convention on processors with narrower registers.
static inline const LooseOctet& octet(const Real* at) {
  return *reinterpret_cast<const LooseOctet*>(at);
}
static inline LooseOctet& octet(Real* at) {
  return *reinterpret_cast<LooseOctet*>(at);
}

/// In a fixed order.
static inline Real sum(const Octet& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

static inline Index whole_octets(Index n) {
  return (n + octet_size - 1) / octet_size * octet_size;
}

}  // namespace rezero::detail
