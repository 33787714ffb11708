#include "spectrum/density/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/density/gauss_rule.h"

namespace rezero::detail {
namespace {

constexpr Real eps = std::numeric_limits<Real>::epsilon();
/// A Ritz value is an individual eigenvalue, rather than a representative of a stretch of the spectrum, if
/// its residual is below this share of the largest.
constexpr Real converged_residual = 1e-6;

}  // namespace

ProbeMeasure::ProbeMeasure(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index steps,
                           Real lowest) {
  const GaussRule rule = gauss_rule(alpha, beta, steps);
  const Real coupling = beta[static_cast<std::size_t>(steps - 1)], largest = rule.node.back();
  const Real floor = largest * eps * std::sqrt(static_cast<Real>(steps));
  Real below = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    const Real node = rule.node[i] > floor ? rule.node[i] : 0, weight = rule.weight[i];
    nodes_.push_back(node), weights_.push_back(weight);
    const Real residual = coupling * rule.last[i];
    if (node <= lowest) {
      jumps_.emplace_back(0, weight);
      continue;
    }
    if (residual <= converged_residual * largest) {
      jumps_.emplace_back(node, weight);
      continue;
    }
    log_points_.push_back(std::log(node)), values_.push_back(below + weight / 2);
    below += weight;
  }
  if (log_points_.empty()) return;
  // The outermost half weights extend half the distance to their neighbours.
  const std::size_t last = log_points_.size() - 1;
  const Real low = last > 0 ? (log_points_[1] - log_points_[0]) / 2 : 0;
  const Real high = last > 0 ? (log_points_[last] - log_points_[last - 1]) / 2 : 0;
  log_points_.insert(log_points_.begin(), log_points_.front() - low);
  values_.insert(values_.begin(), 0);
  log_points_.push_back(log_points_.back() + high), values_.push_back(below);
}

Real ProbeMeasure::cdf(Real sigma) const {
  constexpr Real touch = 1 + 1e-9;  // a node that differs from the point only by rounding counts as on it
  Real share = 0;
  for (const auto& [node, weight] : jumps_)
    if (node <= sigma * touch) share += weight;
  if (log_points_.empty() || sigma <= 0) return share;
  const Real x = std::log(sigma);
  const auto above = std::upper_bound(log_points_.begin(), log_points_.end(), x);
  if (above == log_points_.begin()) return share;
  const auto i = static_cast<std::size_t>(above - log_points_.begin());
  if (above == log_points_.end()) return share + values_.back();
  const Real t = (x - log_points_[i - 1]) / (log_points_[i] - log_points_[i - 1]);
  return share + values_[i - 1] + t * (values_[i] - values_[i - 1]);
}

Real ProbeMeasure::smallest_above(Real floor) const {
  const auto first = std::upper_bound(nodes_.begin(), nodes_.end(), floor);
  return first == nodes_.end() ? nodes_.back() : *first;
}

Real ProbeMeasure::moment(int power) const {
  Real sum = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) sum += weights_[i] * std::pow(nodes_[i], power);
  return sum;
}

ProbeRecurrence::ProbeRecurrence(const LinearMap& A, const Vector& start) : A_(A), u_(A.rows()) {
  V_.push_back(start);
}

void ProbeRecurrence::extend(Index steps) {
  const Real nothing = 4 * eps * std::sqrt(static_cast<Real>(A_.cols()));
  Vector u(A_.rows()), w(A_.cols());
  while (!closed_ && this->steps() < steps) {
    A_.apply(V_.back(), u);
    scale_ = std::max(scale_, u.norm());
    if (!beta_.empty()) u -= beta_.back() * u_;
    const Real alpha = u.norm();
    closed_ = alpha <= nothing * scale_;
    alpha_.push_back(closed_ ? 0 : alpha);
    if (closed_) {
      beta_.push_back(0);
      break;
    }
    // uᵀAv, where u is orthogonal to the previous one only as far as alpha is not small.
    const Real forward = alpha + (beta_.empty() ? 0 : beta_.back() * (u.dot(u_) / alpha));
    u_ = u / alpha;
    A_.apply_transpose(u_, w);
    scale_ = std::max(scale_, w.norm());
    asymmetry_ = std::max(asymmetry_, std::abs(V_.back().dot(w) - forward));
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& v : V_) w -= v.dot(w) * v;
    const Real beta = w.norm();
    closed_ = beta <= nothing * scale_ || this->steps() == A_.cols();
    beta_.push_back(closed_ ? 0 : beta);
    if (!closed_) V_.emplace_back(w / beta);
  }
}

ProbeMeasure ProbeRecurrence::measure(Index steps, Real lowest) const {
  return {alpha_, beta_, std::min(steps, this->steps()), lowest};
}

Real ProbeRecurrence::first_square() const {
  return alpha_[0] * alpha_[0];
}
Real ProbeRecurrence::second_square() const {
  return first_square() * (first_square() + beta_[0] * beta_[0]);
}

}  // namespace rezero::detail
