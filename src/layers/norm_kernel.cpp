#include "layers/norm_kernel.h"

#include "linalg/octet.h"

namespace rezero::detail {
namespace {

/// Σ v and Σ y v, in one pass.
struct Sums {
  Real sum, product;
};
Sums sums_of(const Real* v, const Real* y, Index n, bool center) {
  Octet sums = {}, products = {};
  Index i = 0;
  for (; i + octet_size <= n; i += octet_size) {
    if (center) sums += octet(v + i);
    if (y) products += octet(v + i) * octet(y + i);
  }
  Sums result{sum(sums), sum(products)};
  for (; i < n; ++i) {
    result.sum += v[i];
    if (y) result.product += y[i] * v[i];
  }
  return result;
}

void apply(const NormOperands& norm, const Real* v, const Real* gamma, Real* out) {
  const Index n = norm.features;
  const Real* y = norm.direction;
  for (Index t = 0; t < norm.positions; ++t, v += n, out += n) {
    const Sums sums = sums_of(v, y, n, norm.center);
    Real mean = norm.center ? sums.sum / static_cast<Real>(n) : 0;
    if (norm.mean_factor) mean *= norm.mean_factor[t];
    const Real r = norm.scale[t];
    if (y) {
      const Real along = norm.coefficient[t] * sums.product;
      for (Index i = 0; i < n; ++i) out[i] = (v[i] - mean - along * y[i]) * r;
      y += n;
    } else {
      for (Index i = 0; i < n; ++i) out[i] = (v[i] - mean) * r;
    }
    if (gamma)
      for (Index i = 0; i < n; ++i) out[i] *= gamma[i];
  }
}

}  // namespace

REZERO_KERNEL_TABLE(NormKernel, norm_kernel) = {apply};

}  // namespace rezero::detail
