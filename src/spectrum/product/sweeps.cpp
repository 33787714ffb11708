#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/product.h"
#include "spectrum/product/ordered_qr.h"

namespace rezero {
namespace {

constexpr int most_sweeps = 6;
// Two sweeps may have similar errors if factors are strongly graded: of 1,200 random products the largest
// error was 11 times the difference.
constexpr Real safety = 16;
// If rounding affects the factors, one sample of it may be small by chance. With few values, more samples are
// taken.
constexpr Real safety_of_one_sample = 64;
constexpr Index few = 64;
constexpr int samples = 4;
constexpr Real good_enough = 1e-9;   // no further sweep below this difference
constexpr Real disagreement = 1e-4;  // relative; beyond it, the factors do not determine the value

/// |a − b| / a of two values beyond the range of double.
Real relative_difference(const ScaledReal& a, const ScaledReal& b) {
  return std::abs(1 - quotient(b, a));
}

enum class Direction { forward, transposed };

/// Factor l in the given direction; `sample` of its rounding, if rounding affects the factors.
ScaledMap factor(const FactorSource& factors, Direction direction, std::optional<int> sample, Index l) {
  const Index i = direction == Direction::forward ? l : factors.count - 1 - l;
  ScaledMap A = sample && factors.in_other_rounding ? factors.in_other_rounding(i, *sample) : factors.at(i);
  if (direction == Direction::transposed) A.map = transpose_map(A.map);
  return A;
}

/// The range is the basis from which the next sweep, in the other direction, starts.
ProductEnds sweep(const FactorSource& factors, Direction direction, std::optional<int> sample, Matrix start,
                  int workers) {
  GradedProduct product(std::move(start), workers);
  for (Index l = 0; l < factors.count; ++l) product.push(factor(factors, direction, sample, l));
  return std::move(product).ends();
}

/// A basis in general position. From the identity, QR without exchanges would find the directions of a factor
/// in the order of its coordinates, and it could take the second sweep to sort them.
Matrix random_basis(Index n, int workers) {
  return detail::ordered_qr(normal_matrix(n, n, stream_key(0, StreamRole::probe, 0, 0)), 0, workers).Q;
}

/// Compares two sweeps: the values on which both agree and that are well above the dropped directions, with
/// their error, and a bound on the others.
class Comparison {
 public:
  /// proved_rank: of J. by: the factor of a difference.
  Comparison(const ProductValues& last, const ProductValues& before, Index proved_rank, Real by)
      : last_(last),
        before_(before),
        safety_(by),
        dropped_(std::max(last.unresolved_below, before.unresolved_below)),
        // A zero in only one of two roundings is decided by rounding, at a kink, and proves nothing.
        rank_bound_(std::min(std::max(last.rank_bound, before.rank_bound), proved_rank)) {
    count_agreed();
    bound_the_rest();
  }

  ProductValues result() const {
    ProductValues values = last_;
    std::fill(values.sigma.begin() + rank_, values.sigma.end(), ScaledReal{});
    values.rank = rank_;
    values.rank_bound = rank_bound_;
    values.relative_error_estimate = estimate_;
    values.unresolved_below = bound_;
    values.volume = before_.volume;
    values.converged = last_.converged && before_.converged;
    return values;
  }

 private:
  static const ScaledReal& at(const ProductValues& values, Index i) {
    return values.sigma[static_cast<std::size_t>(i)];
  }

  void count_agreed() {
    Real largest = static_cast<Real>(last_.sigma.size()) * std::numeric_limits<Real>::epsilon(), lost = 0;
    for (; rank_ < std::min({last_.rank, before_.rank, rank_bound_}); ++rank_) {
      const Real difference = relative_difference(at(last_, rank_), at(before_, rank_));
      const Real hidden = dropped_.is_zero() ? 0 : quotient(dropped_, at(last_, rank_));
      if (!(difference <= disagreement && hidden <= disagreement)) break;
      largest = std::max(largest, difference), lost = hidden;
    }
    estimate_ = safety_ * largest + lost;
  }

  /// The next value is no larger than the last, whatever it is, and much smaller if both sweeps say so.
  /// Values within the bound cannot be told apart from the rest.
  void bound_the_rest() {
    if (rank_ == rank_bound_) return;
    bound_ = next() + dropped_;
    if (rank_ == 0) return;
    const ScaledReal last = at(last_, rank_ - 1), cap = last * (1 + estimate_);
    bound_ = std::min(bound_, cap);
    while (rank_ > 0 && !(bound_ < at(last_, rank_ - 1) * (1 - estimate_))) --rank_;
  }

  /// Bound on the first value without agreement: the larger of the two, plus their difference.
  ScaledReal next() const {
    const ScaledReal a = rank_ < last_.rank ? at(last_, rank_) : ScaledReal{},
                     b = rank_ < before_.rank ? at(before_, rank_) : ScaledReal{};
    const ScaledReal larger = std::max(a, b), smaller = std::min(a, b);
    if (smaller.is_zero()) return larger * safety_;
    const Real apart = quotient(larger, smaller);
    return larger * (2 * apart) * apart;  // `apart` may be as large as 2^1000
  }

  const ProductValues &last_, &before_;
  Real safety_;
  ScaledReal dropped_, bound_;
  Index rank_bound_, rank_ = 0;
  Real estimate_ = 0;
};

/// Largest relative difference between the values that both have.
Real distance(const ProductValues& a, const ProductValues& b) {
  Real largest = 0;
  for (Index i = 0; i < std::min(a.rank, b.rank); ++i) {
    const auto at = static_cast<std::size_t>(i);
    largest = std::max(largest, relative_difference(a.sigma[at], b.sigma[at]));
  }
  return largest;
}

/// Whether two more sweeps are worthwhile: the values can still improve, and the last sweeps did help.
/// `reachable` is the limit set by the condition numbers of the factors.
bool worth_another(const ProductValues& now, const std::optional<ProductValues>& before, Real by,
                   Real reachable) {
  const Real wanted = std::clamp(reachable, good_enough, 10 * good_enough);
  const bool good = now.relative_error_estimate < by * wanted && now.rank == now.rank_bound;
  if (good || !before) return !good;
  return now.rank > before->rank || now.relative_error_estimate < before->relative_error_estimate / 4;
}

/// The result of one direction, and the difference between its last two sweeps.
struct Found {
  std::optional<ProductValues> values;
  Real change = std::numeric_limits<Real>::infinity();

  void add(ProductValues next) {
    if (values) change = distance(*values, next);
    values = std::move(next);
  }
};

/// A direction through the factors, and the basis from which a sweep in it starts.
struct Way {
  Direction direction = Direction::forward;
  Matrix start;
};

/// One sample of a single sensitive value may be small by chance. With few values, more samples cost little;
/// they are taken in the direction of the published values.
void add_samples(ProductValues& result, const FactorSource& factors, const Way& way, Index proved_rank,
                 int workers) {
  if (!factors.in_other_rounding || static_cast<Index>(result.sigma.size()) > few) return;
  for (int sample = 1; sample < samples && result.rank > 0; ++sample) {
    const ProductValues other = sweep(factors, way.direction, sample, way.start, workers).values;
    ProductValues next = Comparison(result, other, proved_rank, safety).result();
    next.volume = next.rank == result.rank ? result.volume : std::nullopt;
    next.sweeps = result.sweeps + 1;
    next.relative_error_estimate = std::max(next.relative_error_estimate, result.relative_error_estimate);
    next.unresolved_below = std::max(next.unresolved_below, result.unresolved_below);
    result = std::move(next);
  }
}

}  // namespace

ProductValues product_singular_values(const FactorSource& factors, const ProductOptions& options) {
  REZERO_REQUIRE(factors.count > 0);
  Found there, back;  // Jᵀ, J
  Matrix start = random_basis(factors.at(factors.count - 1).map->rows(), options.workers);
  Way published;
  std::optional<ProductValues> result;
  for (int sweeps = 2; sweeps <= most_sweeps; sweeps += 2) {
    // Jᵀ in another rounding, so that the difference also shows the effect of rounding inside a factor.
    const Matrix from = std::move(start);
    ProductEnds first = sweep(factors, Direction::transposed, 0, from, options.workers);
    ProductEnds second = sweep(factors, Direction::forward, {}, first.range, options.workers);
    const Real reachable =
        std::max(first.values.relative_error_estimate, second.values.relative_error_estimate);
    there.add(std::move(first.values)), back.add(std::move(second.values));
    start = std::move(second.range);
    // A badly graded factor is processed in its own order in one direction only; in that direction two sweeps
    // agree. Both directions are within the estimate, which does not depend on the choice.
    const bool turned = there.change < back.change;
    if (turned)
      published = {Direction::transposed, from};
    else
      published = {Direction::forward, std::move(first.range)};
    const bool sampled_once =
        factors.in_other_rounding && static_cast<Index>(back.values->sigma.size()) > few;
    const Real by = sampled_once ? safety_of_one_sample : safety;
    const Index proved = static_cast<Index>(back.values->sigma.size()) - options.proved_zeros;
    ProductValues now = (turned ? Comparison(*there.values, *back.values, proved, by)
                                : Comparison(*back.values, *there.values, proved, by))
                            .result();
    now.sweeps = sweeps;
    const bool go_on = worth_another(now, result, by, reachable);
    result = std::move(now);  // even with one value fewer: only now is the steadier direction known
    if (!go_on) break;
  }
  const Index proved = static_cast<Index>(result->sigma.size()) - options.proved_zeros;
  add_samples(*result, factors, published, proved, options.workers);
  // Each factor rounds each value, even if sweeps round alike.
  const Real roundings = 2 * static_cast<Real>(factors.count) * std::numeric_limits<Real>::epsilon();
  result->relative_error_estimate = std::max(result->relative_error_estimate, roundings);
  return *result;
}

}  // namespace rezero
