/// Singular values of a bidiagonal matrix by bisection, many points at a time, accelerated by Newton steps.
/// Counts alone enclose every value; a step only suggests where to look.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spectrum/dense/pivots.h"

namespace rezero::detail {
namespace {

// Non-negative floating-point numbers have the order of their bits. Halving an interval of bits halves first
// exponents and then mantissas, so 62 halvings reach the last bit of any number, however small.
using Bits = std::uint64_t;
Bits to_bits(Real x) {
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
Real from_bits(Bits bits) {
  Real x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// The values with ascending indices below_lo … below_hi − 1 lie in [lo, hi).
struct Interval {
  Bits lo, hi;
  Index below_lo, below_hi;
  Bits guess = 0;    ///< position of the only value according to a Newton step; 0: none inside
  int trust = 2;     ///< the guess is trusted to 2^-trust of the width
  Index points = 0;  ///< placed in this round

  Bits width() const { return hi - lo; }
  Index values() const { return below_hi - below_lo; }
};

/// The middle of a narrow interval is within two ulps of μ, one of σ.
constexpr Bits narrow = 4;
constexpr int rounds_with_guesses = 64;  // more than any matrix has needed; then plain halving ends in 62

class Bisection {
 public:
  Bisection(const Squares& squares, int workers)
      : squares_(squares), workers_(workers), ascending_(Vector::Zero(squares.q.size())) {}

  /// √μ for every eigenvalue μ, ascending.
  Vector run() {
    at_.point.assign(1, lowest_point);
    count_below_points(squares_, at_, workers_);
    const Index n = ascending_.size(), zeros = std::min<Index>(at_.below[0], n);  // values below it stay 0
    keep({to_bits(lowest_point), to_bits(squares_.upper), zeros, n});
    for (int round = 0; !next_.empty(); ++round) {
      std::swap(active_, next_);
      next_.clear();
      at_.point.clear();
      for (Interval& interval : active_)
        if (interval.guess == 0 || round >= rounds_with_guesses || !surround_guess(interval))
          divide(interval);
      count_below_points(squares_, at_, workers_);
      split();
    }
    return ascending_;
  }

 private:
  /// As many points as the interval has values: the work of one halving for each of them, but clusters that
  /// no point divides, and sparse values, are narrowed much faster. At least a full group over all intervals.
  void divide(Interval& interval) {
    const Index fill = pivot_group / static_cast<Index>(active_.size());
    const auto wanted = static_cast<Bits>(std::max<Index>({1, fill, interval.values()}));
    const Bits count = std::min(wanted, interval.width() - 1), step = interval.width() / (count + 1);
    for (Bits j = 1; j <= count; ++j) at_.point.push_back(from_bits(interval.lo + step * j));
    interval.points = static_cast<Index>(count);
    interval.guess = 0;
  }

  /// A point on either side of the guess. Quadratic interval refinement: trust doubles if the value is found
  /// between them and halves otherwise, so convergence is quadratic and failure costs little (Abbott 2006).
  bool surround_guess(Interval& interval) {
    const Bits reach = std::max<Bits>(2, interval.width() >> (interval.trust + 1));
    interval.points = 0;
    for (const Bits point : {interval.guess - reach, interval.guess + reach})
      if (point > interval.lo && point < interval.hi)
        at_.point.push_back(from_bits(point)), ++interval.points;
    return interval.points > 0;  // false: the interval is no wider than the reach
  }

  /// Cuts every interval at its points and keeps the parts that contain values. Counts at points that agree
  /// to within an ulp may decrease because of rounding; they are clamped, so that every value keeps exactly
  /// one interval.
  void split() {
    std::size_t at = 0;
    for (const Interval& whole : active_) {
      Interval part = whole;
      for (Index j = 0; j <= whole.points; ++j) {
        const bool last = j == whole.points;
        part.hi = last ? whole.hi : to_bits(at_.point[at]);
        part.below_hi =
            last ? whole.below_hi : std::clamp<Index>(at_.below[at], part.below_lo, whole.below_hi);
        if (part.values() == 1) predict(part, whole, j > 0 ? at - 1 : at, last ? at - 1 : at);
        keep(part);
        part.lo = part.hi, part.below_lo = part.below_hi;
        if (!last) ++at;
      }
    }
  }

  /// Newton's step for det(BᵀB − μ) from the end of the part nearer to the zero, if it stays inside.
  void predict(Interval& part, const Interval& whole, std::size_t left, std::size_t right) const {
    const std::size_t from = std::abs(at_.slope[left]) > std::abs(at_.slope[right]) ? left : right;
    const Real target = at_.point[from] - 1 / at_.slope[from];
    part.guess = target > from_bits(part.lo) && target < from_bits(part.hi) ? to_bits(target) : 0;
    if (whole.guess == 0) return;
    const bool kept = part.width() <= (whole.width() >> whole.trust) + 2;
    part.trust = kept ? std::min(2 * whole.trust, 48) : std::max(1, whole.trust / 2);
  }

  void keep(const Interval& part) {
    if (part.values() <= 0) return;
    if (part.width() > narrow)
      next_.push_back(part);
    else
      ascending_.segment(part.below_lo, part.values())
          .setConstant(std::sqrt(from_bits((part.lo + part.hi) / 2)));
  }

  const Squares& squares_;
  int workers_;
  Vector ascending_;
  std::vector<Interval> active_, next_;
  PointCounts at_;
};

}  // namespace

Vector bidiagonal_singular_values(const Bidiagonal& B, int workers) {
  const Index n = B.diagonal.size();
  Real largest = B.diagonal.cwiseAbs().maxCoeff();
  if (n > 1) largest = std::max(largest, B.superdiagonal.cwiseAbs().maxCoeff());
  if (largest == 0) return Vector::Zero(n);
  const Squares squares = squares_of(B, largest);
  const Vector ascending = Bisection(squares, workers).run();
  Vector sigma(n);
  for (Index i = 0; i < n; ++i) sigma[i] = std::ldexp(ascending[n - 1 - i], squares.shift);
  return sigma;
}

}  // namespace rezero::detail
