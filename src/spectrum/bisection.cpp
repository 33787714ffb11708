/// Singular values of a bidiagonal matrix by bisection, many points at a time in vector registers.
///
/// The squares of the values are the eigenvalues of BᵀB = L D Lᵀ. For one point μ the pivots of L D Lᵀ − μ,
///   d⁺ᵢ = qᵢ + sᵢ,   sᵢ₊₁ = (eᵢ / d⁺ᵢ) sᵢ − μ,   s₁ = −μ,   qᵢ = dᵢ², eᵢ = fᵢ²,
/// are negative as often as there are eigenvalues below μ, exactly so for some B changed by a few ulps an
/// entry.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "spectrum/bidiagonal.h"

namespace rezero::detail {
namespace {

// Eight lanes fill a 512-bit register, and compile to two 256-bit ones elsewhere. Four registers hide the
// latency of the division, on which each step waits.
using Lanes = Real __attribute__((vector_size(64)));
using LaneCounts = std::int64_t __attribute__((vector_size(64)));
constexpr Index lanes = 8, registers = 4, group = lanes * registers;

// Floating-point numbers ≥ 0 are ordered as their bits are. Halving an interval of bits halves exponents
// first and mantissas after, so 62 rounds reach the last bit of any number, however small.
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

/// q and e of the matrix scaled to a largest entry in [0.5, 1). Points are never below 2^-960, so that no
/// pivot but an exact zero is below 2^-1013, no quotient overflows, and what underflows is below every point.
struct Squares {
  Vector q, e;
  int shift = 0;  ///< σ = √μ · 2^shift
  Real upper = 0;
};

Squares squares_of(const Bidiagonal& B, Real largest) {
  Squares squares;
  std::frexp(largest, &squares.shift);
  const auto scaled = [&](Real x) { return std::ldexp(std::abs(x), -squares.shift); };
  const Index n = B.diagonal.size();
  squares.q.resize(n);
  // e is kept above zero: 0 times an infinite quotient would be NaN. The change is far below every point.
  squares.e = Vector::Constant(n, std::numeric_limits<Real>::min());
  Real row_sum = 0, column_sum = 0, before = 0;
  for (Index i = 0; i < n; ++i) {
    const Real d = scaled(B.diagonal[i]), f = i + 1 < n ? scaled(B.superdiagonal[i]) : 0;
    squares.q[i] = d * d;
    if (i + 1 < n) squares.e[i] = std::max(squares.e[i], f * f);
    row_sum = std::max(row_sum, d + f), column_sum = std::max(column_sum, d + before), before = f;
  }
  squares.upper = row_sum * column_sum * (1 + 64 * std::numeric_limits<Real>::epsilon());  // ‖B‖² ≤ ‖B‖₁ ‖B‖∞
  return squares;
}

/// counts[j] = eigenvalues below points[j], for one full group. Infinities are meant to happen: a pivot of
/// exactly 0 makes the next s and pivot infinite, and the s after that (0·∞) has the limit e − μ. (As in
/// Marques, Riedy, Vömel, "Benefits of IEEE-754 features in modern symmetric tridiagonal eigensolvers",
/// 2006.)
void count_group(const Squares& squares, const Real* points, std::int64_t* counts) {
  Lanes mu[registers], s[registers];
  LaneCounts negative[registers];
  std::memcpy(mu, points, sizeof mu);
  for (Index r = 0; r < registers; ++r) s[r] = -mu[r], negative[r] = LaneCounts{};
  for (Index i = 0; i < squares.q.size(); ++i) {
    const Real q = squares.q[i], e = squares.e[i];
    for (Index r = 0; r < registers; ++r) {
      const Lanes pivot = s[r] + q;
      negative[r] -= pivot < 0.0;  // a true lane is −1
      const Lanes next = e / pivot * s[r];
      s[r] = (next == next ? next : Lanes{} + e) - mu[r];
    }
  }
  std::memcpy(counts, negative, sizeof negative);
}

/// Values number below_lo … below_hi − 1 in ascending order lie in [lo, hi).
struct Interval {
  Bits lo, hi;
  Index below_lo, below_hi;
};

/// Two ulps of μ are one of σ.
constexpr Bits narrow = 2;

class Bisection {
 public:
  explicit Bisection(const Squares& squares)
      : squares_(squares), ascending_(Vector::Zero(squares.q.size())) {}

  /// √μ for every eigenvalue μ, ascending.
  Vector run() {
    const Real floor = std::ldexp(1.0, -960);
    points_.assign(1, floor);
    count_points();
    const Index n = ascending_.size(),
                zeros = std::min<Index>(counts_[0], n);  // those below the floor stay 0
    keep({to_bits(floor), to_bits(squares_.upper), zeros, n});
    while (!next_.empty()) {
      std::swap(active_, next_);
      next_.clear();
      place_points();
      count_points();
      split();
    }
    return ascending_;
  }

 private:
  /// As many points in an interval as it has values: the work of one halving for each, but a cluster that all
  /// points fall beside, or values spread thin, are narrowed much faster. At least a full group over all.
  Index points_in(const Interval& interval) const {
    const Index fill = group / static_cast<Index>(active_.size());
    const Index wanted = std::max<Index>({1, fill, interval.below_hi - interval.below_lo});
    return static_cast<Index>(std::min<Bits>(static_cast<Bits>(wanted), interval.hi - interval.lo - 1));
  }

  void place_points() {
    points_.clear();
    for (const Interval& interval : active_) {
      const Index count = points_in(interval);
      const Bits step = (interval.hi - interval.lo) / static_cast<Bits>(count + 1);
      for (Index j = 1; j <= count; ++j)
        points_.push_back(from_bits(interval.lo + step * static_cast<Bits>(j)));
    }
  }

  void count_points() {
    const std::size_t used = points_.size(), padded = (used + group - 1) / group * group;
    points_.resize(padded, points_.back());
    counts_.resize(padded);
    for (std::size_t j = 0; j < padded; j += group) count_group(squares_, &points_[j], &counts_[j]);
  }

  /// Cuts every interval at its points and keeps the parts that hold values. Rounding may make counts that
  /// are equal to within an ulp decrease: they are clamped, so every value keeps exactly one interval.
  void split() {
    std::size_t at = 0;
    for (const Interval& whole : active_) {
      Interval part = whole;
      for (Index left = points_in(whole); left > 0; --left, ++at) {
        part.hi = to_bits(points_[at]);
        part.below_hi = std::clamp<Index>(counts_[at], part.below_lo, whole.below_hi);
        keep(part);
        part.lo = part.hi, part.below_lo = part.below_hi;
      }
      keep({part.lo, whole.hi, part.below_lo, whole.below_hi});
    }
  }

  void keep(const Interval& part) {
    const Index count = part.below_hi - part.below_lo;
    if (count <= 0) return;
    if (part.hi - part.lo > narrow)
      next_.push_back(part);
    else
      ascending_.segment(part.below_lo, count).setConstant(std::sqrt(from_bits((part.lo + part.hi) / 2)));
  }

  const Squares& squares_;
  Vector ascending_;
  std::vector<Interval> active_, next_;
  std::vector<Real> points_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

Vector bidiagonal_singular_values(const Bidiagonal& B) {
  const Index n = B.diagonal.size();
  Real largest = B.diagonal.cwiseAbs().maxCoeff();
  if (n > 1) largest = std::max(largest, B.superdiagonal.cwiseAbs().maxCoeff());
  if (largest == 0) return Vector::Zero(n);
  const Squares squares = squares_of(B, largest);
  const Vector ascending = Bisection(squares).run();
  Vector sigma(n);
  for (Index i = 0; i < n; ++i) sigma[i] = std::ldexp(ascending[n - 1 - i], squares.shift);
  return sigma;
}

}  // namespace rezero::detail
