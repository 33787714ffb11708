/// What a tabulated law answers.

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/contract.h"
#include "rezero/theory/density.h"

namespace rezero::theory {
namespace {

/// The cubic of `above` between two points, with slopes limited so that it is monotone.
struct Piece {
  Real right, width, at_right, at_left, slope_right,
      slope_left;  ///< slopes · width, of `above` towards the left

  Piece(const SpectralLaw& law, Index k) {
    right = law.log_square[k], width = right - law.log_square[k + 1];
    at_right = law.above[k], at_left = law.above[k + 1];
    const Real most = 3 * (at_left - at_right);
    slope_right = std::min(law.density[k] * width, most);
    slope_left = std::min(law.density[k + 1] * width, most);
  }
  Real at(Real y) const {
    const Real t = (right - y) / width, s = 1 - t;
    const Real value = at_right * s * s * (1 + 2 * t) + at_left * t * t * (3 - 2 * t) +
                       t * s * (slope_right * s - slope_left * t);
    return std::clamp(value, at_right, at_left);  // rounding
  }
};

/// Index k of the piece between points k and k + 1 that contains y; points are descending.
Index piece_of(const SpectralLaw& law, Real y) {
  const Real* begin = law.log_square.data();
  const Real* found = std::upper_bound(begin, begin + law.log_square.size(), y, std::greater<Real>());
  return std::clamp<Index>(found - begin - 1, 0, law.log_square.size() - 2);
}

/// Mass of the density on (y, ∞).
Real continuous_above(const SpectralLaw& law, Real y) {
  const Index count = law.log_square.size();
  if (count < 2 || !(y < law.log_square[0])) return 0;
  if (y <= law.log_square[count - 1]) return law.above[count - 1];
  return Piece(law, piece_of(law, y)).at(y);
}

/// ∫ g dμ of the density: g at the lowest point and ∫ g′ · above, by Hermite's rule. `log_scale` is
/// subtracted by g itself.
template <class Value, class First, class Second>
Real integral(const SpectralLaw& law, const Value& g, const First& first, const Second& second) {
  const Index count = law.log_square.size();
  if (count < 2) return 0;
  Real sum = law.above[count - 1] * g(law.log_square[count - 1]);
  for (Index k = 0; k + 1 < count; ++k) {
    const Real right = law.log_square[k], left = law.log_square[k + 1], h = right - left;
    const auto value = [&](Real y, Index i) { return first(y) * law.above[i]; };
    const auto slope = [&](Real y, Index i) { return second(y) * law.above[i] - first(y) * law.density[i]; };
    sum +=
        h * (value(right, k) + value(left, k + 1)) / 2 + h * h * (slope(left, k + 1) - slope(right, k)) / 12;
  }
  return sum;
}

}  // namespace

Real SpectralLaw::cumulative(Real y) const {
  if (std::isnan(y)) return y;
  Real below = 1 - continuous_above(*this, y);
  if (y < one) below -= atom_at_one;
  if (y == -std::numeric_limits<Real>::infinity()) return atom_at_zero;
  return std::clamp<Real>(below, atom_at_zero, 1);
}

Real SpectralLaw::quantile(Real p) const {
  REZERO_REQUIRE(p > 0 && p < 1);
  if (p <= atom_at_zero) return -std::numeric_limits<Real>::infinity();
  Real low = one, high = one;
  if (log_square.size() > 0) {
    low = log_square[log_square.size() - 1], high = log_square[0];
    if (atom_at_one > 0) low = std::min(low, one), high = std::max(high, one);
  }
  if (cumulative(low) >= p) return low;
  for (int step = 0; step < 200; ++step) {
    const Real middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (cumulative(middle) < p ? low : high) = middle;
  }
  return high;
}

std::optional<Real> SpectralLaw::mean_log_square() const {
  if (atom_at_zero > 0) return std::nullopt;
  return atom_at_one * one +
         integral(
             *this, [](Real y) { return y; }, [](Real) { return Real{1}; }, [](Real) { return Real{0}; });
}

std::optional<Real> SpectralLaw::variance_log_square() const {
  const std::optional<Real> mean = mean_log_square();
  if (!mean) return std::nullopt;
  const Real m = *mean;
  return atom_at_one * (one - m) * (one - m) + integral(
                                                   *this, [m](Real y) { return (y - m) * (y - m); },
                                                   [m](Real y) { return 2 * (y - m); },
                                                   [](Real) { return Real{2}; });
}

Real SpectralLaw::log_moment(Real k) const {
  REZERO_REQUIRE(k > 0);
  const Real top = std::max(atom_at_one > 0 ? one : -std::numeric_limits<Real>::infinity(),
                            log_square.size() > 0 ? log_square[0] : one);
  const auto power = [k, top](Real y) { return std::exp(k * (y - top)); };
  const Real sum = atom_at_one * power(one) + integral(
                                                  *this, power, [&](Real y) { return k * power(y); },
                                                  [&](Real y) { return k * k * power(y); });
  return k * top + std::log(sum);
}

Real SpectralLaw::share_within(Real low, Real high) const {
  REZERO_REQUIRE(low > 0 && low <= high);
  const Real from = 2 * std::log(low), to = 2 * std::log(high);
  const Real at_low = from == one ? atom_at_one : 0;  // `cumulative` counts it as below
  return std::max<Real>(0, cumulative(to) - cumulative(from) + at_low);
}

Real kolmogorov(const SpectralLaw& law, const Vector& log_square) {
  const Index n = log_square.size();
  REZERO_REQUIRE(n > 0);
  Real distance = 0;
  for (Index i = 0; i < n; ++i) {  // i values are larger (or equal) before, i + 1 after
    const Real y = log_square[i];
    REZERO_REQUIRE(!std::isnan(y) && (i == 0 || y <= log_square[i - 1]));
    if (y == -std::numeric_limits<Real>::infinity()) break;
    if (law.atom_at_one > 0 && std::abs(y - law.one) < 1e-9) continue;
    const Real above = 1 - law.cumulative(y), count = static_cast<Real>(n);
    distance = std::max({distance, std::abs(above - static_cast<Real>(i) / count),
                         std::abs(above - static_cast<Real>(i + 1) / count)});
  }
  return distance;
}

}  // namespace rezero::theory
