#include "theory/normal_quantile.h"

#include <cmath>

#include "rezero/core/contract.h"

namespace rezero::theory::detail {

Real normal_quantile(Real p) {
  REZERO_REQUIRE(p > 0 && p < 1);
  if (p > 0.5) return -normal_quantile(1 - p);
  const Real t = std::sqrt(-2 * std::log(p));
  Real z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int step = 0; step < 3; ++step) {  // the start is right to 4.5e-4; every step triples the digits
    const Real tail = std::erfc(-z * std::sqrt(0.5)) / 2;
    const Real newton = (tail - p) * std::sqrt(2 * std::acos(-1.0)) * std::exp(z * z / 2);
    z -= newton / (1 + z * newton / 2);
  }
  return z;
}

}  // namespace rezero::theory::detail
