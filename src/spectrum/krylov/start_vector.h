#pragma once
/// Start vectors of iterative methods.

#include "rezero/core/types.h"
#include "rezero/random/key.h"
#include "rezero/random/philox.h"

namespace rezero::detail {

/// Entry i uniform on (−1, 1), from the Philox block with counter (i, 0, role, block).
inline Vector start_vector(Index size, const StreamKey& key) {
  Vector v(size);
  for (Index i = 0; i < size; ++i) {
    const auto element = static_cast<std::uint64_t>(i);
    const PhiloxWords words = philox4x32_10(
        {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32), key.role, key.block},
        {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
    v[i] = (static_cast<Real>(words[0]) + 0.5) / 2147483648.0 - 1.0;
  }
  return v;
}

}  // namespace rezero::detail
