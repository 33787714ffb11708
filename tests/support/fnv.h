#pragma once
/// Checksums of the bits of numbers, for golden values.

#include <cstdint>
#include <cstring>

#include "rezero/core/types.h"

namespace rezero {

/// 64-bit FNV-1a over the numbers' 64-bit patterns, eight bytes per step, column by column.
inline std::uint64_t fnv1a(const Matrix& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (Index i = 0; i < numbers.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, numbers.data() + i, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3;
    hash ^= hash >> 32;  // high bits of a word must reach the low bits of the hash
  }
  return hash;
}

}  // namespace rezero
