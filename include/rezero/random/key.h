#pragma once
/// Addresses of random numbers. A draw is a pure function of (seed, block, role, element): the same weights
/// come out whatever the depth, the scheme, the thread count or the order of work.

#include <cstdint>

namespace rezero {

/// What a stream of draws is for; part of the address. Values are part of the format: append, never renumber.
enum class StreamRole : std::uint32_t {
  input = 0,
  cotangent = 1,
  start_vector = 2,  ///< starting vectors of iterative spectrum methods
  probe = 3,
  rounding = 4,  ///< relative errors that stand for rounding
  weight = 0x100,  ///< + the number of the weight's role (model/branch.h)
  bias = 0x200,    ///< + the number of the weight's role
};

/// One stream of draws. Philox key = seed; counter = (element low, element high, role, block).
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t role = 0;
  std::uint32_t block = 0;
};

inline StreamKey stream_key(std::uint64_t seed, StreamRole role, std::uint32_t offset = 0,
                            std::uint32_t block = 0) {
  return {seed, static_cast<std::uint32_t>(role) + offset, block};
}

}  // namespace rezero
