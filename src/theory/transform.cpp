#include "theory/transform.h"

#include <cmath>
#include <limits>
#include <string>

#include "rezero/core/error.h"
#include "theory/roots.h"

namespace rezero::theory::detail {
namespace {

/// Gauss points for ψ of a residual block. Against every point of the law, cumulative distributions differ by
/// less than 1e-4, but for one orthogonal block with α = 10 (2e-3): there ψ comes close to its cut. (24
/// points: up to 2e-2 for one block.) A plain layer's law follows that of its slopes down to the smallest:
/// all points are kept.
constexpr Index gauss_points = 48;

constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// Range of log q, q = y/(1 − y max s): beyond it, 1 − y max s has no digits.
constexpr Real log_q_range = 27;

void require(bool condition, const std::string& what) {
  if (!condition) throw UsageError("no spectral law (" + what + ")");
}

Real power(Real x, int n) {
  return n == 0 ? 1 : n == 1 ? x : x * x;
}
Complex power(Complex x, int n) {
  return n == 0 ? Complex(1) : n == 1 ? x : x * x;
}

/// log T = log(u(1 + u)/H).
template <class Scalar, class Curve>
void set_quotient(TransformValue<Scalar>& value, Scalar u, const Curve& H, Scalar inverse_H) {
  value.log = std::log(u * (Real{1} + u) * inverse_H);
  value.log_u = (Real{1} + Real{2} * u) * inverse(u * (Real{1} + u));
  value.log_q = -H.first * inverse_H;
}

}  // namespace

Transform::Transform(const BlockTransform& block)
    : plain_(block.plain), strength_(block.strength), gamma_(block.gamma) {
  require(std::isfinite(strength_) && strength_ >= 0, "the strength of a branch is not a finite number ≥ 0");
  require(std::isfinite(gamma_) && gamma_ > 0, "the ratio of widths is not a positive number");
  require(block.form == BranchForm::mlp || gamma_ == 1, "a ratio of widths belongs to mlp branches");
  require(!plain_ || strength_ > 0, "a plain layer with zero weights maps everything to 0");
  const bool linear = block.form == BranchForm::linear, haar = block.ensemble == Ensemble::haar;
  if (linear && (plain_ || !haar)) {
    kind_ = !plain_ ? Kind::linear : haar ? Kind::constant : Kind::plain_linear;
    return;
  }
  if (strength_ == 0) return;
  SlopeLaw slopes = block.slopes;
  if (linear) slopes.square = slopes.weight = Vector::Ones(1);
  require(slopes.square.size() == slopes.weight.size() && slopes.square.size() > 0, "no law of slopes");
  require(slopes.square.allFinite() && slopes.weight.allFinite() && slopes.square.minCoeff() >= 0 &&
              slopes.weight.minCoeff() >= 0 && std::abs(slopes.weight.sum() - 1) < 1e-6,
          "the law of slopes is not a law");
  rule_ = plain_ ? SlopeRule::spread(slopes) : SlopeRule::gauss(slopes, gauss_points);
  if (rule_.largest() == 0) {
    require(!plain_, "every slope of a plain layer is 0");
    strength_ = 0;  // B = 0
    return;
  }
  if (linear && strength_ > 1) shift_ = std::log(strength_), strength_ = 1 / strength_;
  pole_ = plain_ ? 0 : rule_.largest();
  const bool mlp = block.form == BranchForm::mlp;
  power_ = haar ? 2 : mlp ? 0 : 1;
  factor_ = std::min<Real>(1, gamma_);
  scale_ = gamma_ / strength_;
  if (plain_) return;
  // `below` begins at −1 and ends where −1 − u has its maximum.
  if (ratio() >= 1) return;
  const auto balance = [&](Real log_q) {
    const Real y = y_of(log_q);
    const auto slopes_at = rule_.at(y);
    const auto H = curve(y, slopes_at);
    return std::log(gamma_ * slopes_at.first * std::sqrt(1 + 4 * H.value) / H.first);
  };
  const Real low = -log_q_range - std::log(rule_.largest()), high = low + 2 * log_q_range;
  const Real at_low = balance(low), at_high = balance(high);
  if (at_low >= 0) {
    end_log_q_ = low, end_depth_ = 0;
  } else if (at_high > 0) {
    end_log_q_ = root_between(balance, low, high, at_low, at_high, 1e-10);
    end_depth_ = depth_below(end_log_q_);
  } else {
    end_log_q_ = high, end_depth_ = infinity;
  }
}

template <class Scalar>
Transform::Curve<Scalar> Transform::curve(Scalar y, const SlopeRule::Value<Scalar>& slopes) const {
  if (power_ == 0) return {scale_ * y, Scalar(scale_)};
  const Scalar base = Real{1} + factor_ * slopes.psi;
  const Scalar lower = scale_ * power(base, power_ - 1);
  return {lower * base * y, lower * (base + static_cast<Real>(power_) * factor_ * y * slopes.first)};
}

template <class Scalar>
TransformValue<Scalar> Transform::at(Scalar u, Scalar q) const {
  using std::sqrt;
  TransformValue<Scalar> value;
  const Real e2 = strength_;
  switch (kind_) {
    case Kind::constant:
      value.log = std::log(e2), value.log_u = 0;
      return value;
    case Kind::plain_linear:
      value.log = std::log(e2) + log1p(u), value.log_u = inverse(Real{1} + u);
      return value;
    case Kind::linear: {  // T = ((1 + r)² − e⁴)/4, r² = 1 + w
      const Scalar w = e2 * (2 + e2 + Real{4} * u), r = sqrt(Real{1} + w);
      value.log = log1p(e2 / 2 + e2 * u + w / (Real{2} * (Real{1} + r)));
      const Scalar T = Real{1} + e2 / 2 + e2 * u + w / (Real{2} * (Real{1} + r));
      value.log_u = e2 * (Real{1} + inverse(r)) * inverse(T);
      return value;
    }
    case Kind::implicit:
      break;
  }
  const Scalar share = inverse(Real{1} + q * pole_), y = q * share;
  auto slopes = rule_.at(y);
  auto H = curve(y, slopes);
  const Scalar chain = share * y;  // dy/d log q
  slopes.first *= chain, H.first *= chain;
  const Scalar branch = gamma_ * slopes.psi, branch_q = gamma_ * slopes.first;
  if (plain_) {
    const Scalar inverse_H = inverse(H.value);
    value.residual = branch - u, value.residual_u = Scalar(-1), value.residual_q = branch_q;
    set_quotient(value, u, H, inverse_H);
    return value;
  }
  const Scalar t = u - branch, twice = Real{1} + Real{2} * t, inverse_H = inverse(H.value);
  value.residual = t * (Real{1} + t) - H.value;
  value.residual_u = twice, value.residual_q = -twice * branch_q - H.first;
  // u(1 + u) − t(1 + t) = A = branch (1 + u + t): log T = log(1 + A/H), without cancellation for small blocks
  const Scalar A = branch * (Real{1} + u + t), part = A * inverse_H;
  if (std::abs(Real{1} + part) < 0.25) {  // but with it where u passes 0 or −1, in a gap of the law
    set_quotient(value, u, H, inverse_H);
    return value;
  }
  value.log = log1p(part);
  const Scalar scale = inverse_H * inverse(Real{1} + part);
  value.log_u = Real{2} * branch * scale;
  value.log_q = (branch_q * twice - part * H.first) * scale;
  return value;
}

template TransformValue<Real> Transform::at(Real, Real) const;
template TransformValue<Complex> Transform::at(Complex, Complex) const;

Real Transform::rank() const {
  if (trivial()) return 0;
  return kind_ == Kind::implicit ? std::min<Real>(1, gamma_ * rule_.positive()) : 1;
}

Real Transform::slope_at_zero() const {
  if (trivial()) return 0;
  constexpr Real u = 1e-9;
  return at(u, above(u).value_or(0)).slope();
}

Real Transform::y_of(Real log_q) const {
  const Real q = std::exp(log_q);
  return q / (1 + q * rule_.largest());
}

Real Transform::u_above(Real log_q) const {
  const Real y = y_of(log_q);
  const auto slopes = rule_.at(y);
  if (plain_) return gamma_ * slopes.psi;
  const Real H = curve(y, slopes).value;
  return 2 * H / (1 + std::sqrt(1 + 4 * H)) + gamma_ * slopes.psi;
}

Real Transform::depth_below(Real log_q) const {
  const Real y = y_of(log_q);
  const auto slopes = rule_.at(y);
  const Real H = curve(y, slopes).value;
  return 2 * H / (1 + std::sqrt(1 + 4 * H)) - gamma_ * slopes.psi;
}

std::optional<Real> Transform::above(Real u) const {
  if (kind_ != Kind::implicit || trivial()) return 0;
  const auto difference = [&](Real log_q) { return std::log(u_above(log_q) / u); };
  // near u = 0, where u = (1/scale + γ E s) y
  const Real guess = std::log(u / (plain_ ? gamma_ * rule_.mean() : 1 / scale_ + gamma_ * rule_.mean()));
  Real low = guess, high = guess, at_low = difference(low), at_high = at_low;
  const Real limit = log_q_range - std::log(rule_.largest());
  for (Real width = 1; at_low > 0; width *= 2)
    high = low, at_high = at_low, low -= width, at_low = difference(low);
  for (Real width = 1; at_high < 0; width *= 2) {
    if (high >= limit) return std::nullopt;
    low = high, at_low = at_high, high = std::min(limit, high + width), at_high = difference(high);
  }
  const Real log_q = root_between(difference, low, high, at_low, at_high, 1e-14 * (1 + std::abs(guess)));
  return plain_ ? y_of(log_q) : std::exp(log_q);
}

std::optional<Real> Transform::below(Real u) const {
  if (kind_ != Kind::implicit || trivial()) return 0;
  const Real depth = -1 - u;
  if (!(depth < end_depth_)) return std::nullopt;
  const auto difference = [&](Real log_q) { return std::log(depth_below(log_q) / depth); };
  Real high = end_log_q_, at_high = difference(high), low = high, at_low = at_high;
  if (at_high < 0) return std::nullopt;
  for (Real width = 1; at_low > 0; width *= 2)
    high = low, at_high = at_low, low -= width, at_low = difference(low);
  return std::exp(root_between(difference, low, high, at_low, at_high, 1e-14 * (1 + std::abs(high))));
}

Real Transform::below_end() const {
  if (trivial()) return infinity;
  if (kind_ == Kind::linear) return strength_ < 1 ? (1 - strength_) * (1 - strength_) / (4 * strength_) : 0;
  return end_depth_;
}

}  // namespace rezero::theory::detail
