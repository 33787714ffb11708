#include "rezero/random/simulated_rounding.h"

#include <cstring>
#include <limits>

namespace rezero {
namespace {

constexpr Real size = 8 * std::numeric_limits<Real>::epsilon();

/// The finalizer of splitmix64 (Steele, Lea & Flood 2014): a bijection of 64 bits that looks random.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// 1 + size · u, u in (−1, 1) from the upper 53 bits.
Real factor(std::uint64_t bits) {
  return 1 + size * (static_cast<Real>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-52 - 1);
}

}  // namespace

SimulatedRounding::SimulatedRounding(Index block, int sample)
    : stream_(mixed(mixed(static_cast<std::uint64_t>(block)) + static_cast<std::uint64_t>(sample))) {}

Vector SimulatedRounding::operator()(const Vector& x) {
  const std::uint64_t key = mixed(stream_ + ++calls_);
  return x.unaryExpr([key](Real value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return value * factor(mixed(bits ^ key));
  });
}

Vector SimulatedRounding::factors(Index count) {
  const std::uint64_t key = mixed(stream_ + ++calls_);
  Vector result(count);
  for (Index i = 0; i < count; ++i) result[i] = factor(mixed(key + static_cast<std::uint64_t>(i)));
  return result;
}

}  // namespace rezero
