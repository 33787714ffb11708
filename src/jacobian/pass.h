#pragma once
/// Range and underflow checks shared by all passes through a stack.

#include <cmath>
#include <string>
#include <vector>

#include "core/underflow.h"
#include "rezero/core/error.h"
#include "rezero/jacobian/forward.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"
#include "rezero/parallel/for_each.h"

namespace rezero::detail {

/// Mantissas are renormalized when their largest entry leaves [2^−limit, 2^limit]. This is far enough from
/// the limits of double that one block cannot cross them, and rare enough to cost nothing.
constexpr int renormalize_limit = 200;

inline bool far_from_one(Real largest) {
  return largest != 0 &&
         (largest > std::ldexp(1.0, renormalize_limit) || largest < std::ldexp(1.0, -renormalize_limit));
}

/// Whether underflow affected the largest entries themselves. `largest` is the largest output of a block
/// whose mantissas are within the limits above, and something underflowed on the way.
inline bool next_to_underflow(Real largest) {
  constexpr Real smallest_safe = 0x1p-700;
  return largest < smallest_safe;
}

[[noreturn]] inline void fail(Index block, const std::string& what) {
  throw NumericalError("block " + std::to_string(block) + ": " + what);
}

/// About 40 µs of work, in flops. Less is finished before a second thread could load its data.
constexpr Real worth_sharing = 4e6;

/// Calls f(start, width) for panels of the columns to which a block's derivative (with `rows` rows on that
/// side) is applied.
template <class F>
void over_column_panels(const LinearMap& map, Index columns, Index rows, int threads, const F& f) {
  const int workers = map.flops_per_column() * static_cast<Real>(columns) < worth_sharing ? 1 : threads;
  const std::vector<Index> starts = column_panels(columns, rows, map.flops_per_column(), workers);
  for_each_index(static_cast<Index>(starts.size()) - 1, workers, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    f(starts[at], starts[at + 1] - starts[at]);
  });
}

}  // namespace rezero::detail
