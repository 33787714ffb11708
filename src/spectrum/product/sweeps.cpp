#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/spectrum/product.h"

namespace rezero {
namespace {

constexpr int most_sweeps = 6;
constexpr Real good_enough = 1e-9;   // an estimate below asks for no further sweep
constexpr Real disagreement = 1e-4;  // relative: beyond, the factors do not determine the value

/// |a − b| / a of two values beyond the range of double.
Real relative_difference(const ScaledReal& a, const ScaledReal& b) {
  const auto apart = static_cast<int>(std::clamp<std::int64_t>(b.exponent - a.exponent, -60, 60));
  return std::abs(1 - std::ldexp(b.mantissa / a.mantissa, apart));
}

/// A sweep's values and the basis to start the next from, which goes the other way.
struct Sweep {
  ProductValues values;
  Matrix range;
};

enum class Direction { forward, transposed };

Sweep sweep(const FactorSource& factors, Direction direction, std::optional<Matrix> start, int workers) {
  std::optional<GradedProduct> product;
  for (Index l = 0; l < factors.count; ++l) {
    ScaledMap A = factors.at(direction == Direction::forward ? l : factors.count - 1 - l);
    if (direction == Direction::transposed) A.map = transpose_map(A.map);
    if (!product)
      product.emplace(start ? std::move(*start) : Matrix::Identity(A.map->cols(), A.map->cols()), workers);
    product->push(A);
  }
  return {product->values(), product->range()};
}

/// `last`, with what the sweep before tells of it: its error, its volume, what neither proves to be a value.
ProductValues compared(ProductValues last, const ProductValues& before) {
  Index agreed = 0;
  Real largest = static_cast<Real>(last.sigma.size()) * std::numeric_limits<Real>::epsilon();
  for (; agreed < std::min(last.rank, before.rank); ++agreed) {
    const auto at = static_cast<std::size_t>(agreed);
    const Real difference = relative_difference(last.sigma[at], before.sigma[at]);
    if (!(difference <= disagreement)) break;
    largest = std::max(largest, difference);
  }
  std::fill(last.sigma.begin() + agreed, last.sigma.end(), ScaledReal{});
  last.rank = agreed;
  last.rank_bound = std::max(std::min(last.rank_bound, before.rank_bound), agreed);
  last.relative_error_estimate = largest;
  last.volume = before.volume;
  last.converged = last.converged && before.converged;
  return last;
}

/// Largest relative difference of the values that both have.
Real distance(const ProductValues& a, const ProductValues& b) {
  Real largest = 0;
  for (Index i = 0; i < std::min(a.rank, b.rank); ++i) {
    const auto at = static_cast<std::size_t>(i);
    largest = std::max(largest, relative_difference(a.sigma[at], b.sigma[at]));
  }
  return largest;
}

/// Whether two more sweeps are worth it: the values are not what they could be, and the last ones did help.
bool worth_another(const ProductValues& now, const std::optional<ProductValues>& before) {
  const bool good = now.relative_error_estimate < good_enough && now.rank == now.rank_bound;
  if (good || !before) return !good;
  return now.rank > before->rank || now.relative_error_estimate < before->relative_error_estimate / 4;
}

/// What one direction has found, and by how much its last sweep differed from the one before.
struct Found {
  std::optional<ProductValues> values;
  Real change = std::numeric_limits<Real>::infinity();

  void add(ProductValues next) {
    if (values) change = distance(*values, next);
    values = std::move(next);
  }
};

}  // namespace

ProductValues product_singular_values(const FactorSource& factors, const ProductOptions& options) {
  REZERO_REQUIRE(factors.count > 0);
  Found there, back;  // Jᵀ, J
  std::optional<Matrix> start;
  std::optional<ProductValues> result;
  for (int sweeps = 2; sweeps <= most_sweeps; sweeps += 2) {
    Sweep first = sweep(factors, Direction::transposed, std::move(start), options.workers);
    Sweep second = sweep(factors, Direction::forward, std::move(first.range), options.workers);
    there.add(std::move(first.values)), back.add(std::move(second.values));
    start = std::move(second.range);
    // A badly graded factor is met in its own order in one direction only: there two sweeps agree. Both lie
    // within the estimate, so the choice does not enter it.
    const bool turned = there.change < back.change;
    ProductValues now =
        compared(turned ? *there.values : *back.values, turned ? *back.values : *there.values);
    now.sweeps = sweeps;
    const auto dimension = static_cast<Index>(now.sigma.size());
    now.rank_bound = std::max(std::min(now.rank_bound, dimension - options.proved_zeros), now.rank);
    const bool go_on = worth_another(now, result);
    result = std::move(now);  // even with a value less: only now the steadier direction is known
    if (!go_on) break;
  }
  return *result;
}

}  // namespace rezero
