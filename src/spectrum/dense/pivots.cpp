#include "spectrum/dense/pivots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/parallel/for_each.h"

namespace rezero::detail {
Squares squares_of(const Bidiagonal& B, Real largest) {
  Squares squares;
  std::frexp(largest, &squares.shift);
  const auto scaled = [&](Real x) { return std::ldexp(std::abs(x), -squares.shift); };
  const Index n = B.diagonal.size();
  squares.q.resize(n);
  // Keeps e above zero, since 0 times an infinite quotient would be NaN. The change is far below every point.
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

void count_below_points(const Squares& squares, PointCounts& counts, int workers) {
  const std::size_t padded = (counts.point.size() + pivot_group - 1) / pivot_group * pivot_group;
  counts.point.resize(padded, counts.point.back());
  counts.below.resize(padded);
  counts.slope.resize(padded);
  const Index groups = static_cast<Index>(padded) / pivot_group;
  // Waking a thread pays off for about twenty microseconds of work.
  const Index parts =
      std::clamp<Index>(groups * squares.q.size() / 2048, 1, std::min<Index>(groups, workers));
  const PivotKernel& kernel = pivot_kernel();
  for_each_index(parts, workers, [&](Index part) {
    for (Index g = groups * part / parts; g < groups * (part + 1) / parts; ++g) {
      const auto j = static_cast<std::size_t>(g * pivot_group);
      kernel.count_group(squares.q.data(), squares.e.data(), squares.q.size(), &counts.point[j],
                         &counts.below[j], &counts.slope[j]);
    }
  });
}

}  // namespace rezero::detail
