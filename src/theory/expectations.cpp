/// One file, because every moment has to come from the same points: closed forms, rules of one argument and
/// of two.

#include "rezero/theory/expectations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/underflow.h"
#include "layers/gauss_legendre.h"
#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

using Array = Eigen::ArrayXd;

const Real pi = std::acos(Real{-1});

/// Restores the underflow flag: tails of activations underflow where it does not matter.
class Unflagged {
 public:
  Unflagged() : before_(detail::underflow_raised()) {}
  ~Unflagged() {
    if (!before_) detail::clear_underflow();
  }
  Unflagged(const Unflagged&) = delete;
  Unflagged& operator=(const Unflagged&) = delete;

 private:
  bool before_;
};

void require_variance(Real p) {
  if (!(p >= 0) || !std::isfinite(p))
    throw UsageError("the variance of an activation's argument is " + std::to_string(p) +
                     " (it must be finite and not negative)");
}

struct Points {
  Array at, weight;
};

/// Nodes on every panel between neighbouring cuts, with the density of N(mean, std²); weights sum to 1.
Points normal_points(const std::vector<Real>& cuts, Real mean, Real std) {
  const detail::UnitRule& rule = detail::gauss_legendre();
  const Index order = rule.node.size(), panels = static_cast<Index>(cuts.size()) - 1;
  Points points{Array(panels * order), Array(panels * order)};
  for (Index k = 0; k < panels; ++k) {
    const Real begin = cuts[static_cast<std::size_t>(k)],
               width = cuts[static_cast<std::size_t>(k + 1)] - begin;
    points.at.segment(k * order, order) = begin + width * rule.node.array();
    points.weight.segment(k * order, order) = width * rule.weight.array();
  }
  points.weight *= (-((points.at - mean) / std).square() / 2).exp();
  points.weight /= points.weight.sum();
  return points;
}

/// |h| beyond which every activation of the table is a polynomial or a constant to the last bit.
constexpr Real tail = 41;

/// h ≥ 0 with half the density of N(0, s²): the other half is at −h.
Points half_normal_points(Real s) {
  constexpr Real reach = 12;  // where the density is 2e-32
  std::vector<Real> cuts = {0};
  while (cuts.back() < reach * s) {
    const Real h = cuts.back();
    Real width = s;
    if (h < 8)
      width = std::min<Real>(width, 1);
    else if (h < tail)
      width = std::min(width, h / 2);
    cuts.push_back(std::min(h + width, reach * s));
  }
  if (s < 1 && reach * s > 1)  // otherwise 1 is a cut already, or beyond the end
    cuts.insert(std::upper_bound(cuts.begin(), cuts.end(), Real{1}), 1);
  Points points = normal_points(cuts, 0, s);
  points.weight /= 2;
  return points;
}

/// Where an activation may vary or have a kink: ends of panels.
const std::vector<Real>& landmarks() {
  static const std::vector<Real> all = {-tail, -27, -18, -12, -8, -6, -4, -2, -1,  0,
                                        1,     2,   4,   6,   8,  12, 18, 27, tail};
  return all;
}

/// Panels for N(mean, std²): ends at those points that lie within nine standard deviations, where the density
/// is 1e-18, and none wider than two of them.
std::vector<Real> cuts_with(const std::vector<Real>& at, Real mean, Real std) {
  constexpr Real reach = 9, widest = 2, close = 1e-12;
  const Real low = mean - reach * std, high = mean + reach * std;
  std::vector<Real> ends = {low, high};
  for (const Real x : at)
    if (low + close * std < x && x < high - close * std) ends.push_back(x);
  std::sort(ends.begin(), ends.end());
  std::vector<Real> cuts = {low};
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const Real begin = cuts.back(), gap = ends[i] - begin;
    if (gap < close * std) continue;
    const int parts = static_cast<int>(std::ceil(gap / (widest * std) - close));
    for (int j = 1; j < parts; ++j) cuts.push_back(begin + gap * j / parts);
    cuts.push_back(ends[i]);
  }
  return cuts;
}

/// E |h k| for correlation ρ and unit variances.
Real absolute_product(Real rho) {
  return 2 / pi * (std::sqrt((1 - rho) * (1 + rho)) + rho * std::asin(rho));
}

/// sin² and the like: E of trigonometric polynomials from E cos(c h) = exp(−c² p/2).
Expectations of_sine(Real p) {
  const Real second = std::exp(-2 * p), fourth = std::exp(-8 * p);
  Expectations e;
  e.square = (1 - second) / 2;
  e.fourth = (3 - 4 * second + fourth) / 8;
  e.slope_square = (1 + second) / 2;
  e.slope_fourth = (3 + 4 * second + fourth) / 8;
  e.cross = second;
  e.mixed_square = (1 - fourth) / 8;
  e.slope_growth = -second;
  return e;
}

/// Descending, equal points merged, those without weight dropped.
SlopeLaw law_of(const Array& square, const Array& weight) {
  constexpr Real negligible = 1e-19;
  std::vector<std::pair<Real, Real>> points;
  for (Index i = 0; i < square.size(); ++i)
    if (weight(i) > negligible) points.emplace_back(square(i), weight(i));
  std::sort(points.begin(), points.end(), std::greater<>());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (kept > 0 && points[kept - 1].first == points[i].first)
      points[kept - 1].second += points[i].second;
    else
      points[kept++] = points[i];
  }
  SlopeLaw law{Vector(static_cast<Index>(kept)), Vector(static_cast<Index>(kept))};
  for (std::size_t i = 0; i < kept; ++i) {
    law.square(static_cast<Index>(i)) = points[i].first;
    law.weight(static_cast<Index>(i)) = points[i].second;
  }
  law.weight /= law.weight.sum();
  return law;
}

Vector vector_of(std::initializer_list<Real> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

}  // namespace

bool Expectations::has_curvature(Real p) const {
  constexpr Real noise = 1e-9;
  return std::abs(curvature) * std::sqrt(p) > noise * std::sqrt(slope_square);
}

Real Expectations::kurtosis() const {
  return slope_square == 0 ? 1 : slope_fourth / (slope_square * slope_square);
}

GaussianIntegrals::GaussianIntegrals(Activation activation)
    : activation_(std::move(activation)), sine_(activation_.kind().name == "sin") {
  const Unflagged guard;
  if (activation_.homogeneous()) {
    const Vector slope = activation_.derivative(vector_of({1, -1}));
    right_ = slope(0), left_ = slope(1);
  }
  const Real far = std::ldexp(1, 100), farther = std::ldexp(1, 120);
  const Vector value = activation_.value(vector_of({far, farther, -far, -farther}));
  const Real right = value(0) / far, left = value(2) / far, unit = std::max(std::abs(right), std::abs(left));
  const Real change = std::max(std::abs(value(1) / farther - right), std::abs(value(3) / farther - left));
  homogeneous_far_out_ = activation_.homogeneous() || (unit > 0 && change < 1e-15 * unit);
  for (const Real kink : {-1, 0, 1}) {
    constexpr Real step = 1e-4;
    const Vector slope = activation_.derivative(vector_of({kink - step, kink, kink + step}));
    // A smooth φ has a jump of order step and a bend of order step².
    const Real jump = std::abs(slope(2) - slope(0)), bend = std::abs(slope(0) - 2 * slope(1) + slope(2));
    const bool jumps = jump > 100 * step || bend > 100 * step;
    if (jumps || bend > step / 100) kinks_.push_back(kink);
    if (kink == 0) jump_at_zero_ = jumps;
  }
}

Expectations GaussianIntegrals::at_zero() const {
  Expectations e;
  const Activation::Values here = activation_.both(vector_of({0}));
  const Real phi = here.value(0), slope = here.slope(0);
  e.mean = phi, e.square = phi * phi, e.fourth = e.square * e.square;
  e.slope_square = slope * slope, e.slope_fourth = e.slope_square * e.slope_square;
  e.mixed_single = phi * e.slope_square, e.mixed_square = e.square * e.slope_square;
  // Central differences of fourth order: where φ′ or φ φ′ has a corner, the mean of its two slopes.
  constexpr Real step = 1e-3;
  const Activation::Values near = activation_.both(vector_of({step, -step, 2 * step, -2 * step}));
  const auto difference = [](const Array& f) { return (8 * (f(0) - f(1)) - (f(2) - f(3))) / (12 * step); };
  const Array cross = near.value.array() * near.slope.array();
  const Real infinite = std::numeric_limits<Real>::infinity();
  e.curvature = difference(near.slope.array());
  e.cross = difference(cross);
  if (jump_at_zero_) {
    e.curvature = std::copysign(infinite, e.curvature);
    if (phi != 0) e.cross = std::copysign(infinite, e.cross);
  }
  return e;
}

Expectations GaussianIntegrals::at(Real p) const {
  require_variance(p);
  const Unflagged guard;
  if (p == 0) return at_zero();
  const Real s = std::sqrt(p);
  Expectations e;
  if (activation_.homogeneous()) {
    const Real a = right_, d = left_, half_mean = s / std::sqrt(2 * pi);
    const Real a2 = a * a, d2 = d * d;
    e.mean = (a - d) * half_mean;
    e.square = p * (a2 + d2) / 2;
    e.fourth = 3 * p * p * (a2 * a2 + d2 * d2) / 2;
    e.slope_square = (a2 + d2) / 2;
    e.slope_fourth = (a2 * a2 + d2 * d2) / 2;
    e.curvature = (a - d) / (std::sqrt(2 * pi) * s);
    e.cross = (a2 + d2) / 2;
    e.mixed_single = (a * a2 - d * d2) * half_mean;
    e.mixed_square = p * (a2 * a2 + d2 * d2) / 2;
    return e;
  }
  if (sine_ && p > 1) return of_sine(p);
  // Sums over ±h first, so that expectations that vanish by symmetry are exactly 0.
  const Points points = half_normal_points(s);
  const Activation::Values up = activation_.both(points.at.matrix()),
                           down = activation_.both(-points.at.matrix());
  const Array f = up.value.array(), g = down.value.array(), f1 = up.slope.array(), g1 = down.slope.array();
  const Array f2 = f.square(), g2 = g.square(), f12 = f1.square(), g12 = g1.square();
  const auto sum = [&points](const Array& both) { return (points.weight * both).sum(); };
  e.mean = sum(f + g);
  e.square = sum(f2 + g2);
  e.fourth = sum(f2.square() + g2.square());
  e.slope_square = sum(f12 + g12);
  e.slope_fourth = sum(f12.square() + g12.square());
  e.curvature = sum(points.at * (f1 - g1) / p);
  e.cross = sum(points.at * (f * f1 - g * g1) / p);
  e.mixed_single = sum((f + g) * (f12 + g12) + (f - g) * (f12 - g12)) / 2;
  e.mixed_square = sum(f2 * f12 + g2 * g12);
  // Less a constant, whose expectation is 0: small p would magnify its rounding error.
  const Real middle = (f12(0) + g12(0)) / 2;
  e.slope_growth = sum((f12 - middle + (g12 - middle)) * (points.at.square() / p - 1)) / (2 * p);
  return e;
}

SlopeLaw GaussianIntegrals::slopes(Real p) const {
  require_variance(p);
  const Unflagged guard;
  if (p == 0) {
    const Real slope = activation_.derivative(vector_of({0}))(0);
    return {vector_of({slope * slope}), vector_of({1})};
  }
  if (activation_.homogeneous())
    return law_of(vector_of({right_ * right_, left_ * left_}).array(), vector_of({0.5, 0.5}).array());
  constexpr Real wraps = 18;  // from here on, h modulo π is uniform up to exp(−2p)
  if (sine_ && p > 1) {
    Array square, weight;
    if (p > wraps) {
      constexpr Index count = 400;
      square = (pi * (Array::LinSpaced(count, 0, count - 1) + 0.5) / (2 * count)).cos().square();
      weight = Array::Constant(count, Real{1} / count);
    } else {
      std::vector<Real> cuts;
      const Real s = std::sqrt(p);
      const auto count = static_cast<int>(std::ceil(12 * s));
      for (int j = 0; j <= count; ++j) cuts.push_back(12 * s * j / count);
      const Points points = normal_points(cuts, 0, s);
      square = points.at.cos().square(), weight = points.weight;
    }
    return law_of(square, weight);
  }
  const Points points = half_normal_points(std::sqrt(p));
  const Index n = points.at.size();
  Array square(2 * n), weight(2 * n);
  square << activation_.derivative(points.at.matrix()).array().square(),
      activation_.derivative(-points.at.matrix()).array().square();
  weight << points.weight, points.weight;
  return law_of(square, weight);
}

GaussianIntegrals::SquareModes GaussianIntegrals::square_modes(Real p, Index count) const {
  require_variance(p);
  const Unflagged guard;
  SquareModes modes{Vector::Zero(count), Vector::Zero(count)};
  if (count == 0) return modes;
  if (p == 0) {
    const Activation::Values here = activation_.both(vector_of({0}));
    modes.value(0) = here.value(0) * here.value(0), modes.slope(0) = here.slope(0) * here.slope(0);
    return modes;
  }
  const Real s = std::sqrt(p);
  if (sine_) {  // E cos(c z) He_j(z) = (−1)^(j/2) c^j exp(−c²/2) for even j
    Real cosine = std::exp(-2 * p) / 2;
    for (Index j = 0; j < count; j += 2) {
      const auto k = static_cast<Real>(j);
      if (j > 0) cosine *= -4 * p / std::sqrt(k * (k - 1));
      modes.value(j) = -cosine, modes.slope(j) = cosine;
    }
    modes.value(0) += 0.5, modes.slope(0) += 0.5;
    return modes;
  }
  const Points points = half_normal_points(s);
  const Array z = points.at / s;
  const Activation::Values up = activation_.both(points.at.matrix()),
                           down = activation_.both(-points.at.matrix());
  const Array f = up.value.array().square(), g = down.value.array().square(), f1 = up.slope.array().square(),
              g1 = down.slope.array().square();
  Array before = Array::Zero(z.size()), here = points.weight;
  for (Index j = 0; j < count; ++j) {
    const bool even = j % 2 == 0;
    modes.value(j) = even ? (here * (f + g)).sum() : (here * (f - g)).sum();
    modes.slope(j) = even ? (here * (f1 + g1)).sum() : (here * (f1 - g1)).sum();
    const auto k = static_cast<Real>(j);
    const Array next = (z * here - std::sqrt(k) * before) / std::sqrt(k + 1);
    before = here, here = next;
  }
  return modes;
}

/// E f(h) f(k) less E f(h) E f(k) for slope_square: outer panels in h/√p, inner ones in k given h.
Real GaussianIntegrals::pair(Factor factor, Real p, Real q, Real rho) const {
  const Unflagged guard;
  const auto function = [&](const Vector& x) -> Array {
    switch (factor) {
      case Factor::value:
        return activation_.value(x).array();
      case Factor::slope:
        return activation_.derivative(x).array();
      case Factor::slope_square:
        return activation_.derivative(x).array().square();
    }
    return {};
  };
  const bool covariance = factor == Factor::slope_square;
  const Real mean_h = covariance ? at(p).slope_square : 0, mean_k = covariance ? at(q).slope_square : 0;
  const Real s = std::sqrt(p), t = std::sqrt(q), along = rho * t,
             across = t * std::sqrt((1 - rho) * (1 + rho));
  std::vector<Real> outer;
  if (kinks_.empty()) {  // smooth: the finer of the two scales will do
    for (const Real mark : landmarks()) outer.push_back(mark / std::max(s, std::abs(along)));
  } else {
    for (const Real mark : landmarks()) outer.push_back(mark / s);
    if (along != 0) {
      for (const Real mark : landmarks()) outer.push_back(mark / along);
      for (const Real kink : kinks_)  // smoothed over a width of across
        for (const Real width : {1, 2, 4, 8, 16})
          for (const Real side : {-1, 1}) outer.push_back((kink + side * width * across) / along);
    }
  }
  const Points z = normal_points(cuts_with(outer, 0, 1), 0, 1);
  const Array f = function((s * z.at).matrix()) - mean_h;
  Real sum = 0;
  for (Index i = 0; i < z.at.size(); ++i) {
    const Real centre = along * z.at(i);
    if (across == 0) {
      sum += z.weight(i) * f(i) * (function(vector_of({centre}))(0) - mean_k);
      continue;
    }
    const Points k = normal_points(cuts_with(landmarks(), centre, across), centre, across);
    sum += z.weight(i) * f(i) * (k.weight * (function(k.at.matrix()) - mean_k)).sum();
  }
  return sum;
}

namespace {

void require_pair(Real p, Real q, Real rho) {
  require_variance(p), require_variance(q);
  if (!(std::abs(rho) <= 1))
    throw UsageError("a correlation of " + std::to_string(rho) + " (it must lie in [-1, 1])");
}

/// exp(−(p + q)/2) cosh c and sinh c for |c| ≤ (p + q)/2: none overflows.
struct Hyperbolic {
  Real cosh, sinh;
};
Hyperbolic damped(Real p, Real q, Real c) {
  const Real size = std::abs(c), top = std::exp(size - (p + q) / 2);
  return {top * (1 + std::exp(-2 * size)) / 2, std::copysign(-top * std::expm1(-2 * size) / 2, c)};
}

}  // namespace

Real GaussianIntegrals::product(Real p, Real q, Real rho) const {
  require_pair(p, q, rho);
  if (p == 0 || q == 0) return at(p).mean * at(q).mean;
  const Real a = right_, d = left_, scale = std::sqrt(p) * std::sqrt(q);
  if (activation_.homogeneous())  // φ(h) = ((a − d)|h| + (a + d) h)/2
    return scale * ((a - d) * (a - d) * absolute_product(rho) + (a + d) * (a + d) * rho) / 4;
  if (sine_) return damped(p, q, rho * scale).sinh;
  return pair(Factor::value, p, q, rho);
}

Real GaussianIntegrals::slope_product(Real p, Real q, Real rho) const {
  require_pair(p, q, rho);
  const Unflagged guard;
  if (p == 0 || q == 0) {
    const Real zero = activation_.derivative(vector_of({0}))(0), variance = std::max(p, q);
    if (variance == 0) return zero * zero;
    if (activation_.homogeneous()) return zero * (right_ + left_) / 2;
    if (sine_) return zero * std::exp(-variance / 2);
    const Points points = half_normal_points(std::sqrt(variance));
    const Array slope = activation_.derivative(points.at.matrix()).array() +
                        activation_.derivative(-points.at.matrix()).array();
    return zero * (points.weight * slope).sum();
  }
  const Real a = right_, d = left_;
  if (activation_.homogeneous()) return (a - d) * (a - d) / (2 * pi) * std::asin(rho) + (a + d) * (a + d) / 4;
  if (sine_) return damped(p, q, rho * std::sqrt(p) * std::sqrt(q)).cosh;
  return pair(Factor::slope, p, q, rho);
}

Real GaussianIntegrals::slope_square_covariance(Real p, Real q, Real rho) const {
  require_pair(p, q, rho);
  if (p == 0 || q == 0 || rho == 0) return 0;
  const Real jump = right_ * right_ - left_ * left_;
  if (activation_.homogeneous()) return jump * jump / (2 * pi) * std::asin(rho);
  if (sine_) {  // φ′² = (1 + cos 2h)/2
    const Real sinh = damped(2 * p, 2 * q, 2 * rho * std::sqrt(p) * std::sqrt(q)).sinh;
    return sinh * sinh / 2;
  }
  return pair(Factor::slope_square, p, q, rho);
}

}  // namespace rezero::theory
