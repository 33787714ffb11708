#pragma once
/// Laws of slopes for tests, by a quadrature of their own.

#include <cmath>

#include "rezero/theory/density.h"
#include "support/gauss_legendre.h"

namespace rezero::testing {

/// φ′(h)², h ~ N(0, p): Gauss–Legendre on [−10, 0] and [0, 10] standard deviations.
inline theory::SlopeLaw slope_law(const std::string& activation, Real p, int points = 80) {
  if (activation == "relu") return {(Vector(2) << 1, 0).finished(), Vector::Constant(2, 0.5)};
  if (activation == "identity") return {Vector::Ones(1), Vector::Ones(1)};
  const Quadrature rule = gauss_legendre(points);
  Vector h(2 * points), weight(2 * points);
  for (Index k = 0; k < points; ++k) {
    const Real z = 5 + 5 * rule.node[static_cast<std::size_t>(k)];
    h[k] = z, h[points + k] = -z;
    weight[k] = weight[points + k] = rule.weight[static_cast<std::size_t>(k)] * std::exp(-z * z / 2);
  }
  return {Activation(activation).derivative(std::sqrt(p) * h).cwiseAbs2(), weight / weight.sum()};
}

/// E φ(h)².
inline Real mean_square(const std::string& activation, Real p) {
  const Activation phi{activation};
  return gaussian_mean(
      [&](double z) {
        const Real v = phi.value(Vector::Constant(1, std::sqrt(p) * z))[0];
        return v * v;
      },
      {-10, 0, 10}, gauss_legendre(80));
}

}  // namespace rezero::testing
