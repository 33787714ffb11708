#include "theory/product_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "theory/roots.h"

namespace rezero::theory::detail {
namespace {

bool equal(const BlockTransform& a, const BlockTransform& b) {
  return a.form == b.form && a.ensemble == b.ensemble && a.plain == b.plain && a.strength == b.strength &&
         a.gamma == b.gamma && a.slopes.square.size() == b.slopes.square.size() &&
         a.slopes.square == b.slopes.square && a.slopes.weight == b.slopes.weight;
}

/// Largest c for which the lower edge is computed. At c = 1 − ε, u of the edge is −1 − ε²/4: beyond this, it
/// has no digits left, and the edge is as good as 0.
constexpr Real largest_ratio = 1 - 1e-4;

}  // namespace

Product make_product(const std::vector<TransformRun>& blocks) {
  Product product;
  Real untouched = 1;
  std::vector<const BlockTransform*> known;  // of every factor
  for (const TransformRun& run : blocks) {
    if (run.count <= 0) continue;
    const Real count = static_cast<Real>(run.count);
    if (!std::isfinite(run.block.log_divisor))
      throw UsageError("no spectral law (the divisor of a norm is not a positive number)");
    product.shift -= count * run.block.log_divisor;
    std::size_t k = known.size();  // neighbours are equal more often than others
    while (k > 0 && !equal(run.block, *known[k - 1])) --k;
    if (k > 0) {
      product.factors[k - 1].count += count;
    } else {
      Factor factor{Transform(run.block), count};
      if (factor.transform.trivial()) continue;
      product.factors.push_back(std::move(factor));
      known.push_back(&run.block);
      k = known.size();
    }
    const Transform& T = product.factors[k - 1].transform;
    product.shift += count * T.shift();
    if (T.plain()) {
      product.atom_at_zero = std::max(product.atom_at_zero, 1 - T.rank());
      untouched = 0;
    }
    untouched -= 2 * count * T.rank();
    product.reaches_zero = product.reaches_zero || T.plain() || T.ratio() > largest_ratio;
  }
  product.atom_at_one = std::max<Real>(0, untouched);
  for (const Factor& factor : product.factors)
    product.spread += factor.count * factor.transform.slope_at_zero();
  return product;
}

std::optional<RealPoint> real_point(const Product& product, Side side, Real distance) {
  const Real u = u_at(side, distance);
  RealPoint point;
  point.log_z = product.shift + (side == Side::above ? std::log1p(1 / u) : -std::log1p(1 / distance));
  for (const Factor& factor : product.factors) {
    const Transform& T = factor.transform;
    const std::optional<Real> q = side == Side::above ? T.above(u) : T.below(u);
    if (!q) return std::nullopt;
    const TransformValue<Real> value = T.at(u, *q);
    point.log_z += factor.count * value.log;
    point.slope += factor.count * value.slope();
    point.q.push_back(*q);
  }
  return point;
}

EdgePoint find_edge(const Product& product, Side side) {
  // d log z/du = slope − 1/(u(1 + u)), u(1 + u) = d(1 + d) on both sides: its sign, on a scale on which it is
  // nearly linear in log d
  Real end = std::numeric_limits<Real>::infinity();
  if (side == Side::below)
    for (const Factor& factor : product.factors) end = std::min(end, factor.transform.below_end());
  const Real guess = std::log(1 / std::sqrt(product.spread * (1 + product.spread)));
  const Real limit = std::min(std::log(end), guess + 12);
  const auto balance = [&](Real log_d) {
    const Real d = std::exp(log_d);
    const std::optional<RealPoint> point = real_point(product, side, d);
    return point && point->slope > 0 ? std::log(point->slope * d * (1 + d)) : 40;
  };
  Real low = std::min(guess, limit - 1e-3), at_low = balance(low);
  Real high = low, at_high = at_low;
  for (Real width = 0.5; at_low > 0; width *= 2) {
    if (low < guess - 60)
      throw NumericalError("no edge of the spectral law was found (the curve has no minimum)");
    high = low, at_high = at_low, low -= width, at_low = balance(low);
  }
  bool found = true;
  for (Real width = 0.5; found && at_high < 0; width *= 2) {
    if (high >= limit) found = end < std::numeric_limits<Real>::infinity();
    if (high >= limit) break;
    low = high, at_low = at_high, high = std::min(limit, high + width), at_high = balance(high);
  }
  EdgePoint result;
  if (!found || at_high < 0) {  // the curve runs to infinity: no square root
    const std::optional<RealPoint> far = real_point(product, side, std::exp(limit));
    if (!far)
      throw NumericalError("no edge of the spectral law was found (the curve ends before its minimum)");
    result.edge.log_square = far->log_z;
    result.distance = std::numeric_limits<Real>::infinity();
    return result;
  }
  result.distance =
      std::exp(root_between(balance, low, high, at_low, at_high, 1e-13 * (1 + std::abs(guess))));
  const std::optional<RealPoint> point = real_point(product, side, result.distance);
  if (!point) throw NumericalError("no edge of the spectral law was found (the curve ends at its minimum)");
  result.edge.log_square = point->log_z;
  const Real d = result.distance, h = 1e-4 * d;
  const std::optional<RealPoint> outer = real_point(product, side, d + h),
                                 inner = real_point(product, side, d - h);
  if (!outer || !inner) return result;
  const auto first = [](const RealPoint& at, Real from) { return at.slope - 1 / (from * (1 + from)); };
  const Real second = std::abs(first(*outer, d + h) - first(*inner, d - h)) / (2 * h);
  if (std::isfinite(second) && second > 0) result.edge.scale = std::sqrt(2 / second);
  return result;
}

}  // namespace rezero::theory::detail
