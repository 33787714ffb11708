#include "rezero/theory/critical.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "theory/roots.h"

namespace rezero::theory {
namespace {

constexpr Real largest_q = 1e12, smallest_q = 1e-9;  // the range in which expectations are accurate
constexpr Real kink_distance = 1e-150;               // from 0, on either side
/// Differences of expectations, relative to q, that are rounding errors: expectations have 1e-13 or so.
constexpr Real resolution = 1e-12;

Stability stability_of(Real slope) {
  constexpr Real same = 1e-10;
  if (std::abs(slope - 1) <= same) return Stability::marginal;
  return std::abs(slope) < 1 ? Stability::stable : Stability::unstable;
}

FixedPoint fixed_point(Real q, const Expectations& at, Real weight) {
  const Real slope = weight * at.cross;
  return {q, slope, stability_of(slope)};
}

/// The law of φ′² for q → 0: its values on both sides of 0, where φ may have a kink.
SlopeLaw slopes_at_zero(const GaussianIntegrals& activation) {
  Vector sides(2);
  sides << kink_distance, -kink_distance;
  return {activation.activation().derivative(sides).array().square(), Vector::Constant(2, 0.5)};
}

/// E φ′² for q → 0. E (φ φ′)′ has the same limit if φ(0) = 0.
Real slope_square_at_zero(const GaussianIntegrals& activation) {
  return slopes_at_zero(activation).square.mean();
}

bool zero_at_zero(const GaussianIntegrals& activation) {
  return activation.at(0).square == 0;
}

std::string name_of(const GaussianIntegrals& activation) {
  return activation.activation().canonical();
}

/// σ_b² of the critical net with fixed point q, relative to q.
Real relative_bias(const Expectations& at, Real q) {
  return 1 - at.square / (q * at.slope_square);
}

/// Of a net without biases and the fixed point 0, where V = σ_w² E φ′² q + o(q).
CriticalPoint point_at_zero(const GaussianIntegrals& activation) {
  const Vector squares = slopes_at_zero(activation).square;
  const Real mean = squares.mean();
  return {1 / mean, 0, {0, 1, Stability::marginal}, squares.squaredNorm() / 2 / (mean * mean)};
}

CriticalPoint point_at(const GaussianIntegrals& activation, Real q, Real bias) {
  const Expectations at = activation.at(q);
  const Real weight = 1 / at.slope_square;
  return {weight, bias, fixed_point(q, at, weight), at.kurtosis()};
}

CriticalSet without_points(std::string reason) {
  CriticalSet set;
  set.reason = std::move(reason);
  return set;
}

/// φ(c x) = c φ(x): E φ² = q E φ′² at every q.
CriticalSet homogeneous_set(const GaussianIntegrals& activation, Real bias) {
  CriticalSet set;
  if (activation.at(1).slope_square == 0)
    return without_points(name_of(activation) + " has slope 0 everywhere");
  if (bias > 0) return without_points("with biases, χ₁ = 1 makes the variance grow by σ_b² in every layer");
  set.every_q = true;
  set.points = {point_at(activation, 1, 0)};
  // Exactly: E (φ φ′)′ = E φ′² for degree 1.
  set.points[0].fixed.slope = 1, set.points[0].fixed.stability = Stability::marginal;
  return set;
}

bool is_homogeneous(const GaussianIntegrals& activation) {
  return activation.activation().homogeneous();
}

}  // namespace

std::optional<Real> decay_depth(Real factor) {
  if (!(factor >= 0 && factor < 1)) return std::nullopt;
  return factor == 0 ? 0 : -1 / std::log(factor);
}

CriticalSet critical_for_bias(const GaussianIntegrals& activation, Real bias) {
  constexpr Real smallest_bias = 1e-10;
  if (!(bias == 0 || (bias >= smallest_bias && bias <= largest_q)))
    throw UsageError("sigma_b must be 0 or between 1e-5 and 1e6 (smaller ones cannot be told from 0)");
  if (is_homogeneous(activation)) return homogeneous_set(activation, bias);
  CriticalSet set;
  if (bias == 0 && zero_at_zero(activation) && slope_square_at_zero(activation) > kink_distance)
    set.points.push_back(point_at_zero(activation));
  const auto excess = [&](Real q) { return relative_bias(activation.at(q), q) - bias / q; };
  for (const Real q : detail::sign_changes(excess, std::max(bias, smallest_q), largest_q, resolution))
    set.points.push_back(point_at(activation, q, bias));
  if (set.points.empty())
    set.reason = bias == 0 && zero_at_zero(activation) ? "φ′(0) = 0, and χ₁ = 1 at any other q* needs biases"
                                                       : "no q* up to 1e12 solves q* = E φ²/E φ′² + σ_b²";
  return set;
}

CriticalSet critical_at(const GaussianIntegrals& activation, Real q) {
  if (!(q > 0 && q <= largest_q)) throw UsageError("q* must be a positive number up to 1e12");
  if (is_homogeneous(activation)) {
    CriticalSet set = homogeneous_set(activation, 0);
    for (CriticalPoint& point : set.points) point.fixed.q = q;
    return set;
  }
  const Expectations at = activation.at(q);
  if (at.slope_square == 0) return without_points("E φ′² = 0 at this q*");
  const Real relative = relative_bias(at, q);
  if (relative < -resolution) return without_points("σ_b² = q* − E φ²/E φ′² would be negative");
  CriticalSet set;
  set.points = {point_at(activation, q, relative <= resolution ? 0 : relative * q)};
  return set;
}

std::vector<CriticalPoint> stability_changes(const GaussianIntegrals& activation) {
  std::vector<CriticalPoint> points;
  if (is_homogeneous(activation)) return points;
  const auto excess = [&](Real q) {
    const Expectations at = activation.at(q);
    return at.slope_square > 0 ? at.cross / at.slope_square - 1 : 0;
  };
  for (const Real q : detail::sign_changes(excess, 1e-6, 1e6, resolution)) {
    const Real relative = relative_bias(activation.at(q), q);
    if (relative > resolution) points.push_back(point_at(activation, q, relative * q));
  }
  return points;
}

namespace {

/// Fixed points of V(q)/q = σ_w² E φ²/q + σ_b²/q = 1.
std::vector<FixedPoint> fixed_points(const GaussianIntegrals& activation, Real weight, Real bias) {
  std::vector<FixedPoint> points;
  if (is_homogeneous(activation)) {  // V = s q + σ_b²
    const Real slope = weight * activation.at(1).slope_square;
    if (stability_of(slope) != Stability::marginal && (bias == 0 || slope < 1))
      points.push_back({bias / (1 - slope), slope, stability_of(slope)});
    return points;
  }
  if (bias == 0 && zero_at_zero(activation)) {
    const Real slope = weight * slope_square_at_zero(activation);  // E φ² = q E φ′² + o(q)
    points.push_back({0, slope, stability_of(slope)});
  }
  const auto growth = [&](Real q) { return weight * activation.at(q).square / q + bias / q - 1; };
  for (const Real q : detail::sign_changes(growth, std::max(bias, smallest_q), largest_q, resolution))
    points.push_back(fixed_point(q, activation.at(q), weight));
  return points;
}

/// The fixed point at which V^∞(start) arrives. V rises wherever its slope matters, so that a variance moves
/// to the next fixed point in the direction of its first step.
const FixedPoint* reached(const std::vector<FixedPoint>& points, Real start, Real first_step) {
  const FixedPoint* below = nullptr;
  for (const FixedPoint& point : points) {
    if (point.q == start || (first_step > 0 && point.q > start)) return &point;
    if (point.q < start) below = &point;
  }
  return first_step < 0 ? below : nullptr;
}

Phase phase_of(Real chi) {
  constexpr Real same = 1e-9;
  if (std::abs(chi - 1) <= same) return Phase::critical;
  return chi < 1 ? Phase::ordered : Phase::chaotic;
}

/// c* < 1 of the chaotic phase: C(c) = (σ_w² E φ φ + σ_b²)/q*, convex, above c at 0 and below it close to 1.
Real chaotic_correlation(const GaussianIntegrals& activation, Real weight, Real bias, Real q) {
  const auto excess = [&](Real c) { return (weight * activation.product(q, q, c) + bias) / q - c; };
  Real low = 0, high = 1;
  if (excess(0) <= resolution) return 0;
  for (int i = 0; i < 52; ++i) {
    const Real middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace

PlainPhase plain_phase(const GaussianIntegrals& activation, Real weight, Real bias, Real start) {
  REZERO_REQUIRE(weight > 0 && bias >= 0 && start > 0);
  PlainPhase result;
  result.fixed_points = fixed_points(activation, weight, bias);
  const Expectations first = activation.at(start);
  const Real step = weight * first.square + bias - start;
  const bool still = std::abs(step) <= resolution * start;
  const FixedPoint* fixed = reached(result.fixed_points, start, still ? 0 : step);
  FixedPoint here;
  if (!fixed && still) here = fixed_point(start, first, weight), fixed = &here;
  if (!fixed) {
    if (is_homogeneous(activation)) result.chi = weight * first.slope_square;
    return result;
  }
  result.q = fixed->q, result.slope = fixed->slope;
  const Real chi = fixed->q == 0 ? fixed->slope : weight * activation.at(fixed->q).slope_square;
  result.chi = chi;
  result.phase = phase_of(chi);
  if (fixed->q == 0 || (bias == 0 && activation.activation().is_identity())) return result;
  result.correlation = 1, result.correlation_slope = chi;
  if (result.phase != Phase::chaotic) return result;
  const Real c = chaotic_correlation(activation, weight, bias, fixed->q);
  result.correlation = c;
  result.correlation_slope = weight * activation.slope_product(fixed->q, fixed->q, c);
  return result;
}

Real plain_log_sigma_max(const SlopeLaw& slopes, Real weight, Ensemble ensemble, Index depth) {
  REZERO_REQUIRE(weight > 0 && depth >= 1);
  const Real largest = slopes.square.maxCoeff(), L = static_cast<Real>(depth);
  if (largest == 0) return -std::numeric_limits<Real>::infinity();
  // y = r/(largest (1 + r)), so that 1 − y d = (1 + r (1 − d/largest))/(1 + r) has no cancellation.
  const auto edge = [&](Real log_r) {
    const Real r = std::exp(log_r);
    Real u = 0;
    for (Index i = 0; i < slopes.square.size(); ++i) {
      const Real d = slopes.square[i] / largest;
      u += slopes.weight[i] * r * d / (1 + r * (1 - d));
    }
    const Real log_transform = std::log(weight * largest * u * (1 + r) / r);
    return std::log1p(1 / u) +
           L * (ensemble == Ensemble::haar ? log_transform - std::log1p(u) : log_transform);
  };
  // One minimum; at the upper end for orthogonal nets whose edge is the limit u → ∞. Golden section.
  const Real golden = (std::sqrt(Real{5}) - 1) / 2;
  Real low = -40, high = 40, a = high - golden * (high - low), b = low + golden * (high - low);
  Real at_a = edge(a), at_b = edge(b);
  while (high - low > 1e-9) {
    if (at_a < at_b)
      high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = edge(a);
    else
      low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = edge(b);
  }
  return std::min(at_a, at_b) / 2;
}

namespace {

SlopeLaw slopes_of(const GaussianIntegrals& activation, const CriticalPoint& point) {
  return point.fixed.q == 0 ? slopes_at_zero(activation) : activation.slopes(point.fixed.q);
}

}  // namespace

Real critical_log_sigma_max(const GaussianIntegrals& activation, const CriticalPoint& point,
                            Ensemble ensemble, Index depth) {
  return plain_log_sigma_max(slopes_of(activation, point), point.weight, ensemble, depth);
}

SpreadDepths spread_depths(const GaussianIntegrals& activation, const CriticalPoint& point, Ensemble ensemble,
                           Real bound, Index limit) {
  REZERO_REQUIRE(bound > 0 && limit >= 1);
  SpreadDepths depths;
  const Real per_layer = ensemble == Ensemble::haar ? point.kurtosis - 1 : point.kurtosis;
  if (per_layer * static_cast<Real>(limit) > bound)
    depths.by_variance = static_cast<Index>(std::floor(bound / per_layer));
  const SlopeLaw slopes = slopes_of(activation, point);
  const Real log_bound = std::log(bound);
  const Index largest = detail::largest_holding(
      [&](Index depth) { return plain_log_sigma_max(slopes, point.weight, ensemble, depth) <= log_bound; },
      limit);
  if (largest < limit) depths.by_maximum = largest;
  return depths;
}

}  // namespace rezero::theory
