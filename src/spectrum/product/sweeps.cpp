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

/// Whether another sweep is worth it: the values are not what they could be, and the last one did help.
bool worth_another(const ProductValues& now, const std::optional<ProductValues>& before) {
  const bool good = now.relative_error_estimate < good_enough && now.rank == now.rank_bound;
  if (good || !before) return !good;
  return now.rank > before->rank || now.relative_error_estimate < before->relative_error_estimate / 4;
}

}  // namespace

ProductValues product_singular_values(const FactorSource& factors, const ProductOptions& options) {
  REZERO_REQUIRE(factors.count > 0);
  Sweep before = sweep(factors, Direction::transposed, {}, options.workers);
  std::optional<ProductValues> result, earlier;
  Direction direction = Direction::forward;
  for (int sweeps = 2; sweeps <= most_sweeps; ++sweeps) {
    Sweep last = sweep(factors, direction, std::move(before.range), options.workers);
    // A badly graded factor is met in its own order in one direction only: there two sweeps agree. Both lie
    // within the estimate, so the choice does not enter it.
    const bool steadier = earlier && distance(*earlier, last.values) > distance(last.values, before.values);
    const ProductValues& steady = steadier ? before.values : last.values;
    ProductValues now = compared(steady, steadier ? last.values : before.values);
    now.sweeps = sweeps;
    const auto dimension = static_cast<Index>(now.sigma.size());
    now.rank_bound = std::max(std::min(now.rank_bound, dimension - options.proved_zeros), now.rank);
    const bool go_on = worth_another(now, result);
    const bool better =
        !result || now.rank > result->rank ||
        (now.rank == result->rank && now.relative_error_estimate < result->relative_error_estimate);
    if (better) result = std::move(now);
    if (!go_on) break;
    earlier = std::move(before.values);
    before = std::move(last);
    direction = direction == Direction::forward ? Direction::transposed : Direction::forward;
  }
  return *result;
}

}  // namespace rezero
