#include "layers/gauss_legendre.h"

#include <cmath>

namespace rezero::detail {
namespace {

constexpr Index order = 20;

/// Roots of the Legendre polynomial by Newton's method from the asymptotic guess, the upper half of them.
UnitRule make() {
  const Real pi = std::acos(Real{-1});
  UnitRule rule{Vector(order), Vector(order)};
  for (Index i = 0; i < order / 2; ++i) {
    Real x = std::cos(pi * (static_cast<Real>(i) + 0.75) / (order + 0.5)), slope = 1;
    for (int step = 0; step < 10; ++step) {
      Real before = 1, here = x;
      for (Index k = 2; k <= order; ++k) {
        const auto n = static_cast<Real>(k);
        const Real next = ((2 * n - 1) * x * here - (n - 1) * before) / n;
        before = here, here = next;
      }
      slope = order * (x * here - before) / (x * x - 1);
      x -= here / slope;
    }
    rule.node(order - 1 - i) = (1 + x) / 2, rule.node(i) = (1 - x) / 2;
    rule.weight(order - 1 - i) = rule.weight(i) = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace

const UnitRule& gauss_legendre() {
  static const UnitRule rule = make();
  return rule;
}

}  // namespace rezero::detail
