#pragma once
/// Rounding errors made on purpose, to see what they do.

#include "rezero/core/types.h"
#include "rezero/random/key.h"

namespace rezero {

/// x ↦ x ⊙ (1 + 4 eps u), u uniform on (−1, 1) from a stream of its own: what a few roundings of the same
/// numbers may amount to. A derivative linearized at such values shows how far rounding moves it. Source:
/// Monte Carlo arithmetic, Parker 1997 (UCLA CSD-970002).
class SimulatedRounding {
 public:
  /// Streams of different blocks are independent.
  explicit SimulatedRounding(Index block);
  Vector operator()(const Vector& x);

 private:
  StreamKey key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace rezero
