/// The law of many small branches.

#include <cmath>

#include "rezero/core/error.h"
#include "rezero/theory/density.h"
#include "theory/law_table.h"
#include "theory/roots.h"

namespace rezero::theory {
namespace {

constexpr int half_points = 400;

/// A point of the upper half of the law, at height b of v = a + ib.
struct UniversalPoint {
  Real a, y, density;
};

/// cosh a − 1 = c sin b/b − 2 sin²(b/2)
UniversalPoint at_height(Real c, Real b) {
  const Real ratio = b > 0 ? c * std::sin(b) / b : c, half = std::sin(b / 2);
  const Real lift = std::max<Real>(0, ratio - 2 * half * half);  // 0 at the centre of the law
  const Real a = 2 * std::asinh(std::sqrt(lift / 2));
  const Real sinh = std::sqrt(lift * (2 + lift));
  return {a, a + c * sinh / ratio, b / (2 * std::acos(Real{-1}) * c)};
}

/// b at the centre, where a = 0.
Real greatest_height(Real c) {
  const Real pi = std::acos(Real{-1});
  const auto f = [c](Real b) {
    const Real half = std::sin(b / 2);
    return 2 * half * half / c - std::sin(b) / b;
  };
  const Real high = std::min(pi, 1.001 * std::sqrt(2 * c)), low = 1e-3 * high;
  return detail::root_between(f, low, high, f(low), f(high), 0);
}

}  // namespace

SpectralLaw universal_law(Real c) {
  if (!(c > 1e-150 && c < 1e150))
    throw UsageError("no universal law for this sum of c (it must be in 1e-150 … 1e150)");
  const Real pi = std::acos(Real{-1}), height = greatest_height(c);
  // b = height · sin φ: a and y are smooth in φ, at the edge as at the centre
  const Index count = 2 * half_points + 1;
  SpectralLaw law;
  law.log_square.resize(count), law.density.resize(count), law.above = Vector::Zero(count);
  for (int k = 0; k <= half_points; ++k) {
    const Real phi = pi / 2 * k / half_points;
    UniversalPoint at = at_height(c, k == half_points ? height : height * std::sin(phi));
    if (k == half_points) at.y = 0;
    law.log_square[k] = at.y, law.log_square[count - 1 - k] = -at.y;
    law.density[k] = law.density[count - 1 - k] = at.density;
    if (k == 0) continue;
    // mass of the piece: ∫ density dy = ends − ∫ y d density, the latter by Gauss's rule of three points
    const Real from = pi / 2 * (k - 1) / half_points, step = pi / 2 / half_points;
    Real inner = 0;
    for (int i = -1; i <= 1; ++i) {
      const Real at_phi = from + step * (0.5 + i * std::sqrt(0.15));
      inner += (i == 0 ? 8.0 : 5.0) / 18 * at_height(c, height * std::sin(at_phi)).y * std::cos(at_phi);
    }
    inner *= step * height / (2 * pi * c);
    law.above[k] = law.above[k - 1] + inner -
                   (law.log_square[k] * law.density[k] - law.log_square[k - 1] * law.density[k - 1]);
  }
  const Real found = law.above[half_points];
  for (Index k = 0; k < half_points; ++k) law.above[count - 1 - k] = 2 * found - law.above[k];
  law.mass = 2 * found;
  if (!(std::abs(law.mass - 1) < 1e-2))
    throw NumericalError("the mass of the universal law is " + std::to_string(law.mass) + " (it must be 1)");
  law.above /= law.mass, law.density /= law.mass;
  // f = v + c coth(v/2): f″ in u is 2 /(u(1 + u))² · … at u₊ = (√(1 + 2/c) − 1)/2, where u(1 + u) = 1/(2c)
  law.upper.log_square = law.log_square[0];
  const Real S = std::sqrt(1 + 2 / c);
  law.upper.scale = std::sqrt(2 / (4 * c * c * S));
  law.lower = SpectralEdge{-law.log_square[0], law.upper.scale};
  law.method = "universal";
  return law;
}

}  // namespace rezero::theory
