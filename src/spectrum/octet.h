#pragma once
/// Eight numbers that are worked on together, at any address: one 512-bit register, or two of 256 bits.

#include <cmath>

#include "rezero/core/types.h"

namespace rezero::detail {

constexpr Index octet_size = 8;
typedef Real Octet __attribute__((vector_size(sizeof(Real) * octet_size)));
typedef Real LooseOctet
    __attribute__((vector_size(sizeof(Real) * octet_size), aligned(alignof(Real)), may_alias));

/// The eight numbers from there on. References, for a vector that is passed or returned has no calling
/// convention on processors whose registers are narrower.
inline const LooseOctet& octet(const Real* at) {
  return *reinterpret_cast<const LooseOctet*>(at);
}
inline LooseOctet& octet(Real* at) {
  return *reinterpret_cast<LooseOctet*>(at);
}

/// In a fixed order.
inline Real sum(const Octet& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

inline Index whole_octets(Index n) {
  return (n + octet_size - 1) / octet_size * octet_size;
}

/// What makes H = I − v vᵀ, ‖v‖² = 2 or 0, map a vector a to β e₁: v = (a − β e₁) · scale.
struct Reflection {
  Real beta = 0, scale = 0;
};

/// squared_norm: of all of a, entries at most about 1; first: a₁. A norm below 2^-480 is taken for zero, an
/// error far below every resolution; the square of a larger one is as accurate as any.
inline Reflection reflection(Real squared_norm, Real first) {
  if (squared_norm < 0x1p-960) return {};
  const Real norm = std::sqrt(squared_norm);
  return {first > 0 ? -norm : norm, 1 / std::sqrt(squared_norm + std::abs(first) * norm)};
}

}  // namespace rezero::detail
