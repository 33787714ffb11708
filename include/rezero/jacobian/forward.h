#pragma once
/// Exact input–output Jacobians by forward-mode products: O(n · k) memory at any depth.

#include <functional>
#include <vector>

#include "rezero/jacobian/rounding_probe.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero {

/// What fell below the range of double on the way. A zero is then no proof that the number is zero.
enum class Underflow {
  none,
  derivative,  ///< in a block's own value or derivative: φ′ far out in a tail
  product,  ///< in the products: entries of J below 2^−1074 of the largest are lost, whatever comes later
  block,    ///< of a block's derivative as a whole: the largest of what it gives is next to what was lost
};

/// x_depth and J_depth · tangents after `depth` blocks; the Jacobian's mantissa is normalized.
struct ForwardStep {
  Index depth;
  const ScaledVector& state;
  const ScaledMatrix& jacobian;
  Underflow underflow = Underflow::none;  ///< the gravest so far
  const RoundingProbe* probe = nullptr;   ///< the same J on a few directions; null: not carried
  bool zero_columns_hold = true;          ///< columns that became zero did so in another rounding, too
};

/// One block as it was passed.
struct BlockStep {
  Index block;
  const ResidualBlock& layer;
  const BlockLinearization& at;  ///< at the mantissa of `before`
  const ScaledVector& before;    ///< x_l
  Real jacobian_change;          ///< max |J_{l+1} − J_l| / max |J_l|, if asked for
};

struct ForwardOptions {
  int workers = 1;               ///< threads for drawing blocks, and over column panels of a block's product
  bool measure_changes = false;  ///< fill BlockStep::jacobian_change
  /// Called for one block after the other, but on any thread, and perhaps inside a loop of for_each_index.
  std::function<void(const BlockStep&)> on_block;
  std::function<void()> checkpoint;  ///< called likewise, before each block; may throw to give up
};

/// Carries the columns `tangents` (n × k; the identity for J itself) from x0 through the blocks and calls
/// `visit` at each of `depths` (ascending, 1 … stack.blocks()). J is kept as mantissa · 2^e, so products
/// neither overflow nor lose bits. In a positively homogeneous stack the state is renormalized by powers of
/// two too. NumericalError naming the block when a branch, the state or J stops being finite; visits made
/// before stand. Bytes do not depend on `workers`. Cost Σ_l flops of block l per column · k.
void forward_jacobian(const Stack& stack, const Vector& x0, Matrix tangents, const std::vector<Index>& depths,
                      const std::function<void(const ForwardStep&)>& visit,
                      const ForwardOptions& options = {});

/// Starts of the column panels that `columns` are split into for that many workers, and the end: multiples of
/// 8 apart, at least 16 wide (unless there is one; the last up to 7 more), so wide that a panel of `rows`
/// rows stays in cache, or that the map's matrices, which each panel reads anew, are used long enough. GEMM
/// bits do not depend on such a split.
std::vector<Index> column_panels(Index columns, Index rows, Real flops_per_column, int workers);

}  // namespace rezero
