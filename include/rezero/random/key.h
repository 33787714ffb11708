#pragma once
/// Addresses of random numbers. A draw is a pure function of (seed, block, role, element), so the weights do
/// not depend on the depth, the scheme, the number of threads or the order of work.

#include <cstdint>

namespace rezero {

/// The purpose of a stream of draws, part of its address. The values are part of the format: append, never
/// renumber.
enum class StreamRole : std::uint32_t {
  input = 0,
  cotangent = 1,
  start_vector = 2,  ///< starting vectors of iterative spectrum methods
  probe = 3,
  rounding = 4,    ///< relative errors that simulate rounding
  dropout = 5,     ///< masks of a graph in training form; block: the node
  weight = 0x100,  ///< plus the number of the weight's role (model/branch.h)
  bias = 0x200,    ///< plus the number of the weight's role
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
