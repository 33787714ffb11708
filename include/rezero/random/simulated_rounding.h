#pragma once
/// Rounding errors made on purpose, to see what they do.

#include "rezero/core/types.h"
#include "rezero/random/key.h"

namespace rezero {

/// Which computation of the same numbers: as it comes, or a sample with SimulatedRounding.
struct Rounding {
  bool simulated = false;
  int sample = 0;
};

/// x ↦ x ⊙ (1 + 8 eps u), u uniform on (−1, 1) from a stream of its own: what a few roundings of the same
/// numbers may amount to. A derivative linearized at such values shows how far rounding moves it. Source:
/// Monte Carlo arithmetic, Parker 1997 (UCLA CSD-970002).
class SimulatedRounding {
 public:
  /// Streams of different blocks, and samples, are independent.
  explicit SimulatedRounding(Index block, int sample = 0);
  Vector operator()(const Vector& x);

 private:
  StreamKey key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace rezero
