#pragma once
/// What every pass through a stack watches: range and underflow.

#include <cfenv>
#include <cmath>
#include <string>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/jacobian/forward.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"
#include "rezero/parallel/for_each.h"

namespace rezero::detail {

/// Mantissas are renormalized when their largest entry leaves [2^−limit, 2^limit]: far from where doubles
/// end, so that one block cannot carry them over, and rarely enough to cost nothing.
constexpr int renormalize_limit = 200;

inline bool far_from_one(Real largest) {
  return largest != 0 &&
         (largest > std::ldexp(1.0, renormalize_limit) || largest < std::ldexp(1.0, -renormalize_limit));
}

[[noreturn]] inline void fail(Index block, const std::string& what) {
  throw NumericalError("block " + std::to_string(block) + ": " + what);
}

/// A norm without eps has no value at zero.
inline bool divides_by_norm(const BlockParts& parts) {
  const auto bare = [](const NormSpec& norm) { return norm && norm.kind->name == "l2_norm"; };
  return bare(parts.pre_norm) || bare(parts.branch_norm);
}

inline void check_finite(Index block, const BlockParts& parts, const BlockLinearization& at) {
  if (!std::isfinite(max_abs(at.branch_value)))
    fail(block, divides_by_norm(parts)
                    ? "the branch output is not finite (it overflowed, or an l2_norm divided zero by zero)"
                    : "the branch output is not finite (it overflowed)");
  if (!std::isfinite(max_abs(at.value))) fail(block, "the state is not finite (it overflowed)");
}

/// Flops that take some forty microseconds: before a second thread has its data, they are done.
constexpr Real worth_sharing = 4e6;

/// f(start, width) over panels of the columns that a block's derivative (with `rows` rows on that side, of
/// which the panels' width depends) is applied to.
template <class F>
void over_column_panels(const LinearMap& map, Index columns, Index rows, int threads, const F& f) {
  const int workers = map.flops_per_column() * static_cast<Real>(columns) < worth_sharing ? 1 : threads;
  const std::vector<Index> starts = column_panels(columns, rows, map.flops_per_column(), workers);
  for_each_index(static_cast<Index>(starts.size()) - 1, workers, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    f(starts[at], starts[at + 1] - starts[at]);
  });
}

/// The processor's sticky flag of this thread, from here on. Vectors' alone where there is one: the library
/// clears the x87 unit's too, which takes longer than a layer's matrix-vector product.
#if defined(__SSE2__)
constexpr unsigned underflow_flag = 0x10;
inline void watch_underflow() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~underflow_flag);
}
inline bool underflowed() {
  return (__builtin_ia32_stmxcsr() & underflow_flag) != 0;
}
#else
inline void watch_underflow() {
  std::feclearexcept(FE_UNDERFLOW);
}
inline bool underflowed() {
  return std::fetestexcept(FE_UNDERFLOW) != 0;
}
#endif

}  // namespace rezero::detail
