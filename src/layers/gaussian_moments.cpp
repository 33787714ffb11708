#include "rezero/layers/gaussian_moments.h"

#include <cmath>

namespace rezero {
namespace {

constexpr Index order = 20;
constexpr Index reach = 12;  // where the density is 2e-32

struct Rule {
  Vector node, weight;  ///< on [0, 1]
};

/// Roots of the Legendre polynomial by Newton's method from the asymptotic guess.
Rule gauss_legendre() {
  const double pi = std::acos(-1.0);
  Rule rule{Vector(order), Vector(order)};
  for (Index i = 0; i < order; ++i) {
    double x = std::cos(pi * (static_cast<double>(i) + 0.75) / (order + 0.5)), slope = 1;
    for (int step = 0; step < 10; ++step) {
      double before = 1, here = x;
      for (Index k = 2; k <= order; ++k) {
        const auto n = static_cast<double>(k);
        const double next = ((2 * n - 1) * x * here - (n - 1) * before) / n;
        before = here, here = next;
      }
      slope = order * (x * here - before) / (x * x - 1);
      x -= here / slope;
    }
    rule.node(i) = (1 + x) / 2;
    rule.weight(i) = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace

GaussianMoments gaussian_moments(const Activation& activation) {
  static const Rule rule = gauss_legendre();
  const double norm = 1 / std::sqrt(2 * std::acos(-1.0));
  GaussianMoments moments;
  for (Index unit = -reach; unit < reach; ++unit) {
    const Vector z = (rule.node.array() + static_cast<Real>(unit)).matrix();
    const Eigen::ArrayXd density = norm * (-z.array().square() / 2).exp() * rule.weight.array();
    const Eigen::ArrayXd phi = activation.value(z).array();
    moments.mean += (phi * density).sum();
    moments.square += (phi.square() * density).sum();
  }
  return moments;
}

}  // namespace rezero
