#include "rezero/random/simulated_rounding.h"

#include "random/rounding_kernel.h"

namespace rezero {

using detail::mixed;

SimulatedRounding::SimulatedRounding(Index block, int sample)
    : stream_(mixed(mixed(static_cast<std::uint64_t>(block)) + static_cast<std::uint64_t>(sample))) {}

Vector SimulatedRounding::operator()(const Vector& x) {
  Vector result(x.size());
  detail::rounding_kernel().round(x.data(), x.size(), mixed(stream_ + ++calls_), result.data());
  return result;
}

Vector SimulatedRounding::factors(Index count) {
  Vector result(count);
  detail::rounding_kernel().factors(count, mixed(stream_ + ++calls_), result.data());
  return result;
}

}  // namespace rezero
