#pragma once
/// Gauss–Legendre quadrature: nodes by Newton's method on the Legendre recursion.

#include <cmath>
#include <vector>

namespace rezero::testing {

struct Quadrature {
  std::vector<double> node, weight;  ///< on [−1, 1]
};

/// Start values cos(π (i − 1/4)/(n + 1/2)) converge for all n; weights 2 / ((1 − x²) P_n′(x)²).
inline Quadrature gauss_legendre(int n) {
  const double pi = std::acos(-1.0);
  Quadrature rule;
  for (int i = 1; i <= n; ++i) {
    double x = std::cos(pi * (i - 0.25) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 50; ++step) {
      double now = 1, before = 0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now, now = next;
      }
      slope = n * (x * now - before) / (x * x - 1);
      const double change = now / slope;
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    rule.node.push_back(x);
    rule.weight.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

/// E f(z), z standard normal, on the given pieces of the line: smooth pieces are exact to rounding.
template <class Function>
double gaussian_mean(const Function& f, const std::vector<double>& cuts, const Quadrature& rule) {
  const double scale = 1 / std::sqrt(2 * std::acos(-1.0));
  double sum = 0;
  for (std::size_t k = 1; k < cuts.size(); ++k) {
    const double half = (cuts[k] - cuts[k - 1]) / 2, middle = (cuts[k] + cuts[k - 1]) / 2;
    for (std::size_t i = 0; i < rule.node.size(); ++i) {
      const double z = middle + half * rule.node[i];
      sum += half * rule.weight[i] * scale * std::exp(-z * z / 2) * f(z);
    }
  }
  return sum;
}

}  // namespace rezero::testing
