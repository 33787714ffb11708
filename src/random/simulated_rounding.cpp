#include "rezero/random/simulated_rounding.h"

#include <limits>

#include "rezero/random/sample.h"

namespace rezero {

SimulatedRounding::SimulatedRounding(Index block, int sample)
    : key_(stream_key(static_cast<std::uint64_t>(sample), StreamRole::rounding, 0,
                      static_cast<std::uint32_t>(block))) {}

Vector SimulatedRounding::operator()(const Vector& x) {
  constexpr Real size = 8 * std::numeric_limits<Real>::epsilon();
  Vector u(x.size());
  fill_uniform(u.data(), u.size(), key_, drawn_);
  drawn_ += static_cast<std::uint64_t>(x.size() + x.size() % 2);  // streams are read in pairs
  return x.array() * (1 + size * u.array());
}

}  // namespace rezero
