#pragma once
/// Draws for random cells: SplitMix64 (Steele, Lea & Flood 2014), the same on every machine.

#include <cstdint>

#include "rezero/core/types.h"

namespace rezero::reference {

class SplitMix {
 public:
  SplitMix(std::uint64_t seed, std::uint64_t index) : state_(seed) { state_ = next() + index; }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  Index between(Index low, Index high) {
    return low + static_cast<Index>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(Index n) { return between(1, n) == 1; }
  template <class List>
  auto pick(const List& list) -> decltype(*list.begin()) {
    return *(list.begin() + between(0, static_cast<Index>(list.size()) - 1));
  }
  Real symmetric() { return static_cast<Real>(next() >> 11) * 0x1p-52 - 1; }  ///< in [−1, 1)

 private:
  std::uint64_t state_;
};

}  // namespace rezero::reference
