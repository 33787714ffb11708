#include "rezero/spectrum/spectrum.h"

#include <algorithm>
#include <cmath>

namespace rezero {

bool Spectrum::resolved(std::size_t i) const {
  if (sigma[i].is_zero() || sigma_max.is_zero()) return false;
  return quotient(sigma[i], sigma_max) > accuracy.relative_resolution;
}

Index Spectrum::unresolved() const {
  Index count = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i) count += resolved(i) ? 0 : 1;
  return std::max<Index>(0, count - null_directions);
}

}  // namespace rezero
