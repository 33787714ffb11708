#pragma once
/// Rounding errors made on purpose, to see what they do.

#include "rezero/core/types.h"

namespace rezero {

/// Which computation of the same numbers: as it comes, or a sample with SimulatedRounding.
struct Rounding {
  bool simulated = false;
  int sample = 0;
};

/// x ↦ x ⊙ (1 + 8 eps u), u uniform on (−1, 1): what a few roundings of the same numbers may amount to. A
/// derivative linearized at such values shows how far rounding moves it. u is a function of the number and of
/// the call, so that equal numbers, which round equally, stay equal: differences that are exactly zero do.
/// Source: Monte Carlo arithmetic, Parker 1997 (UCLA CSD-970002).
class SimulatedRounding {
 public:
  /// Streams of different blocks, and samples, are independent.
  explicit SimulatedRounding(Index block, int sample = 0);
  Vector operator()(const Vector& x);
  /// 1 + 8 eps u for numbers that are computed one by one.
  Vector factors(Index count);

 private:
  std::uint64_t stream_;
  std::uint64_t calls_ = 0;
};

}  // namespace rezero
