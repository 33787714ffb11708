#include "theory/law_table.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rezero/core/error.h"

namespace rezero::theory::detail {

namespace {

/// Mass e^{κ y} below the lowest point.
void lay_below(SpectralLaw& law, Real missing) {
  constexpr Index count = 64;
  constexpr Real slowest = 0.02;  // in a gap, no density tells the rate
  const Index size = law.log_square.size();
  const Real bottom = law.log_square[size - 1], found = law.above[size - 1];
  const Real rate = std::max(law.density[size - 1] / missing, slowest);
  law.log_square.conservativeResize(size + count), law.density.conservativeResize(size + count),
      law.above.conservativeResize(size + count);
  for (Index k = 1; k <= count; ++k) {
    const Real fall = std::exp(-static_cast<Real>(k) / 4);
    law.log_square[size + k - 1] = bottom - static_cast<Real>(k) / (4 * rate);
    law.density[size + k - 1] = rate * missing * fall;
    law.above[size + k - 1] = k == count ? found + missing : found + missing * (1 - fall);
  }
}

}  // namespace

void LawTable::add_exponential_tail(Real rest) {
  const LawPoint last = points_.back();
  if (!(last.density > 1e-3 * rest && last.slope > 0)) return;
  const Real rate = last.slope / last.density;
  for (int k = 1; k <= 64; ++k) {
    const Real fall = std::exp(-k / Real{4});
    add({last.y - k / (4 * rate), last.density * fall, last.slope * fall});
  }
}

SpectralLaw LawTable::law(Real atom_at_zero, Real atom_at_one) && {
  const Index count = static_cast<Index>(points_.size());
  SpectralLaw law;
  law.atom_at_zero = atom_at_zero, law.atom_at_one = atom_at_one;
  law.log_square.resize(count), law.density.resize(count), law.above = Vector::Zero(count);
  for (Index k = 0; k < count; ++k) {
    const LawPoint& point = points_[static_cast<std::size_t>(k)];
    if (!std::isfinite(point.y) || !std::isfinite(point.density) || !std::isfinite(point.slope))
      throw NumericalError("the spectral law is not finite (at log sigma^2 = " + std::to_string(point.y) +
                           ")");
    law.log_square[k] = point.y;
    law.density[k] = std::max<Real>(0, point.density);
    if (k == 0) continue;
    const LawPoint& last = points_[static_cast<std::size_t>(k - 1)];
    const Real h = last.y - point.y,
               corrected = h * (last.density + point.density) / 2 + h * h * (point.slope - last.slope) / 12;
    law.above[k] = law.above[k - 1] + std::max<Real>(0, corrected);
  }
  const Real spread = 1 - atom_at_zero - atom_at_one, found = law.above[count - 1];
  law.mass = found + atom_at_zero + atom_at_one;
  if (!(std::abs(law.mass - 1) <= 1e-2))
    throw NumericalError("the mass of the spectral law is " + std::to_string(law.mass) +
                         " (it must be 1, so the curve was not followed to its end)");
  const Real missing = spread - found;
  if (lost_ && missing > 0) {
    lay_below(law, missing);
    return law;
  }
  const Real factor = found > 0 ? std::max<Real>(0, spread) / found : 0;
  law.above *= factor, law.density *= factor;
  return law;
}

}  // namespace rezero::theory::detail
