#include "rezero/jacobian/forward.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "jacobian/pass.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"

namespace rezero {

using detail::check_finite;
using detail::fail;
using detail::far_from_one;
using detail::over_column_panels;
using detail::underflowed;
using detail::watch_underflow;

namespace {

/// True if a product underflowed.
bool apply_in_panels(const LinearMap& map, const Matrix& in, Matrix& out, int threads) {
  std::atomic<bool> lost{false};
  over_column_panels(map, in.cols(), in.rows(), threads, [&](Index start, Index width) {
    watch_underflow();
    map.apply(in.middleCols(start, width), out.middleCols(start, width));
    if (underflowed()) lost = true;
  });
  return lost;
}

/// Nothing where the block changes the shape.
Real relative_change(const Matrix& before, const Matrix& after) {
  Real change = 0;
  if (before.rows() != after.rows()) return change;
  for (Index j = 0; j < before.cols(); ++j)
    change = std::max(change, (after.col(j) - before.col(j)).cwiseAbs().maxCoeff());
  const Real size = max_abs(before);
  return size == 0 ? change : change / size;
}

}  // namespace

std::vector<Index> column_panels(Index columns, Index rows, Real flops_per_column, int workers) {
  constexpr Index narrowest = 32, widest = 512;
  // Half a megabyte of a panel, or a column to eight multiply-adds that an entry of a column takes part in.
  constexpr Real entries = 65536, columns_a_flop = 0.125;
  const Real r = static_cast<Real>(std::max<Index>(rows, 1));
  const auto wide = static_cast<Index>(
      std::clamp<Real>(std::max(entries / r, columns_a_flop * flops_per_column / r), narrowest, widest));
  const Index even = (columns + std::max(workers, 1) - 1) / std::max(workers, 1);
  const Index width = std::clamp(even, narrowest, wide);
  const Index count = std::max<Index>(1, std::min((columns + width - 1) / width, columns / narrowest));
  std::vector<Index> starts;
  for (Index i = 0; i < count; ++i) starts.push_back(i * columns / count / 8 * 8);
  starts.push_back(columns);
  return starts;
}

void forward_jacobian(const Stack& stack, const Vector& x0, Matrix tangents, const std::vector<Index>& depths,
                      const std::function<void(const ForwardStep&)>& visit, const ForwardOptions& options) {
  REZERO_REQUIRE(std::is_sorted(depths.begin(), depths.end()));
  REZERO_REQUIRE(depths.empty() || (depths.front() >= 1 && depths.back() <= stack.blocks()));
  const bool homogeneous = stack.positively_homogeneous();
  ScaledVector state{x0};
  ScaledMatrix jacobian{std::move(tangents)};
  Matrix next;
  auto wanted = depths.begin();
  Underflow underflow = Underflow::none;
  for (Index l = 0; wanted != depths.end(); ++l) {
    if (options.checkpoint) options.checkpoint();
    const BlockPtr block = stack.block(l);
    watch_underflow();
    const BlockLinearization at = block->linearize_block(state.mantissa);
    check_finite(l, block->parts(), at);
    const LinearMapPtr derivative = condense(at.derivative, jacobian.mantissa.cols());
    if (underflowed()) underflow = std::max(underflow, Underflow::derivative);
    next.resize(derivative->rows(), jacobian.mantissa.cols());
    if (apply_in_panels(*derivative, jacobian.mantissa, next, options.workers))
      underflow = Underflow::product;
    const Real largest = max_abs(next);
    if (!std::isfinite(largest)) fail(l, "the Jacobian is not finite (the block's derivative overflowed)");
    if (options.on_block) {
      const Real change = options.measure_changes ? relative_change(jacobian.mantissa, next) : 0;
      options.on_block({l, *block, at, state, change});
    }
    jacobian.mantissa.swap(next);
    watch_underflow();
    if (far_from_one(largest)) REZERO_REQUIRE(renormalize(jacobian));
    if (underflowed()) underflow = Underflow::product;
    state.mantissa = at.value;
    if (homogeneous && far_from_one(max_abs(state.mantissa))) REZERO_REQUIRE(renormalize(state));
    if (l + 1 != *wanted) continue;
    REZERO_REQUIRE(renormalize(jacobian));
    visit({l + 1, state, jacobian, underflow});
    ++wanted;
  }
}

}  // namespace rezero
