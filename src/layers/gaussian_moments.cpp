#include "rezero/layers/gaussian_moments.h"

#include <cmath>

#include "layers/gauss_legendre.h"

namespace rezero {
namespace {

constexpr Index reach = 12;  // where the density is 2e-32

}  // namespace

GaussianMoments gaussian_moments(const Activation& activation) {
  const detail::UnitRule& rule = detail::gauss_legendre();
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
