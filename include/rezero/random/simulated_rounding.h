#pragma once
/// Simulated rounding errors, to measure their effect.

#include "rezero/core/types.h"

namespace rezero {

/// Which of several computations of the same numbers: the ordinary one, or a sample with SimulatedRounding.
struct Rounding {
  bool simulated = false;
  int sample = 0;
};

/// x ↦ x ⊙ (1 + 8 eps u), u uniform on (−1, 1): about the effect of a few roundings of the same numbers. A
/// derivative linearized at such values shows how far rounding moves it. u is a function of the number and of
/// the call, so equal numbers, which round equally, stay equal, and exactly zero differences stay zero.
/// Source: Monte Carlo arithmetic, Parker 1997 (UCLA CSD-970002).
class SimulatedRounding {
 public:
  /// Streams of different blocks and samples are independent.
  explicit SimulatedRounding(Index block, int sample = 0);
  Vector operator()(const Vector& x);
  /// Factors 1 + 8 eps u for numbers that are computed one by one.
  Vector factors(Index count);

 private:
  std::uint64_t stream_;
  std::uint64_t calls_ = 0;
};

}  // namespace rezero
