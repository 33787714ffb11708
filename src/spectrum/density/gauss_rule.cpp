#include "spectrum/density/gauss_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rezero::detail {
namespace {

/// A symmetric tridiagonal matrix during its diagonalization, and two rows of its vectors.
class TwoRowQl {
 public:
  TwoRowQl(std::vector<Real> beside)
      : d_(beside.size() + 1), e_(std::move(beside)), first_(d_.size()), last_(d_.size()) {
    e_.push_back(0);
    first_.front() = last_.back() = 1;
    for (const Real entry : e_)
      negligible_ = std::max(negligible_, std::numeric_limits<Real>::epsilon() * entry);
  }

  /// False if some eigenvalue takes more than 60 steps.
  bool run() {
    for (std::size_t l = 0; l < d_.size(); ++l) {
      for (int steps = 0;; ++steps) {
        std::size_t m = l;
        while (m + 1 < d_.size() && std::abs(e_[m]) > negligible_) ++m;
        if (m == l) break;
        if (steps == 60) return false;
        step(l, m);
      }
    }
    return true;
  }

  const std::vector<Real>& values() const { return d_; }
  Real first(std::size_t i) const { return first_[i]; }
  Real last(std::size_t i) const { return last_[i]; }

 private:
  /// One implicit step on rows l … m, towards the eigenvalue that ends up in row l.
  void step(std::size_t l, std::size_t m) {
    const Real half = (d_[l + 1] - d_[l]) / (2 * e_[l]);
    Real g = d_[m] - d_[l] + e_[l] / (half + std::copysign(std::hypot(half, 1), half));
    Real s = 1, c = 1, p = 0;
    for (std::size_t i = m; i-- > l;) {
      const Real f = s * e_[i], b = c * e_[i], r = std::sqrt(f * f + g * g);
      e_[i + 1] = r;
      if (r == 0) {  // the matrix splits here
        d_[i + 1] -= p, e_[m] = 0;
        return;
      }
      s = f / r, c = g / r;
      const Real shifted = d_[i + 1] - p, t = (d_[i] - shifted) * s + 2 * c * b;
      p = s * t;
      d_[i + 1] = shifted + p;
      g = c * t - b;
      rotate(first_, i, s, c), rotate(last_, i, s, c);
    }
    d_[l] -= p, e_[l] = g, e_[m] = 0;
  }

  static void rotate(std::vector<Real>& row, std::size_t i, Real s, Real c) {
    const Real next = row[i + 1];
    row[i + 1] = s * row[i] + c * next;
    row[i] = c * row[i] - s * next;
  }

  std::vector<Real> d_, e_, first_, last_;
  Real negligible_ = 0;
};

}  // namespace

GaussRule gauss_rule(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index m) {
  const auto count = static_cast<std::size_t>(m);
  std::vector<Real> beside;
  for (std::size_t j = 0; j < count; ++j) {
    beside.push_back(alpha[j]);
    if (j + 1 < count) beside.push_back(beta[j]);
  }
  TwoRowQl ql(std::move(beside));
  GaussRule rule;
  if (!ql.run()) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    rule.node.assign(count, nan), rule.weight.assign(count, nan), rule.last.assign(count, nan);
    return rule;
  }
  std::vector<std::size_t> order(2 * count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ql.values()[a] < ql.values()[b]; });
  // Eigenvalues are ±σ, the vectors (v, ±u)/√2 interleaved.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t plus = order[count + i], minus = order[count - 1 - i];
    rule.node.push_back(std::max<Real>(0, (ql.values()[plus] - ql.values()[minus]) / 2));
    rule.weight.push_back(std::pow(ql.first(plus), 2) + std::pow(ql.first(minus), 2));
    rule.last.push_back(std::hypot(ql.last(plus), ql.last(minus)));
  }
  return rule;
}

}  // namespace rezero::detail
