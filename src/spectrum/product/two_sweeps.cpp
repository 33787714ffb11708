#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/linalg/maps.h"
#include "rezero/spectrum/product.h"

namespace rezero {
namespace {

/// |a − b| / a of two values beyond the range of double.
Real relative_difference(const ScaledReal& a, const ScaledReal& b) {
  const auto apart = static_cast<int>(std::clamp<std::int64_t>(b.exponent - a.exponent, -60, 60));
  return std::abs(1 - std::ldexp(b.mantissa / a.mantissa, apart));
}

Real largest_difference(const ProductValues& of, const ProductValues& reference) {
  Real largest = 0;
  const Index common = std::min(of.rank, reference.rank);
  for (Index i = 0; i < common; ++i) {
    const auto at = static_cast<std::size_t>(i);
    largest = std::max(largest, relative_difference(of.sigma[at], reference.sigma[at]));
  }
  return largest;
}

GradedProduct transposed(const ProductFactors& factors, Index rows) {
  GradedProduct product(Matrix::Identity(rows, rows));
  for (Index l = factors.count; l-- > 0;) {
    if (factors.checkpoint) factors.checkpoint();
    product.push(transpose_map(factors.at(l)));
  }
  return product;
}

}  // namespace

ProductValues product_singular_values(const ProductFactors& factors) {
  const Index rows = factors.count > 0 ? factors.at(factors.count - 1)->rows() : factors.cols;
  const GradedProduct first = transposed(factors, rows);
  GradedProduct second(first.range());
  for (Index l = 0; l < factors.count; ++l) {
    if (factors.checkpoint) factors.checkpoint();
    second.push(factors.at(l));
  }
  const ProductValues reference = first.values();
  ProductValues values = second.values();
  values.rank_bound = std::max(std::min(values.rank_bound, reference.rank_bound), values.rank);
  const Real rounding = static_cast<Real>(values.sigma.size()) * std::numeric_limits<Real>::epsilon();
  values.relative_error_estimate = std::max(rounding, largest_difference(values, reference));
  return values;
}

}  // namespace rezero
