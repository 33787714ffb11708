#include "layers/gauss_legendre.h"

#include <cmath>

namespace rezero::detail {
namespace {

constexpr Index order = 20;

/// Roots of the Legendre polynomial by Newton's method from the asymptotic guess.
UnitRule make() {
  const double pi = std::acos(-1.0);
  UnitRule rule{Vector(order), Vector(order)};
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

const UnitRule& gauss_legendre() {
  static const UnitRule rule = make();
  return rule;
}

}  // namespace rezero::detail
