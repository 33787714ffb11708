#pragma once
/// Exact input–output Jacobians by forward-mode products.
///
/// A stack computes x_{l+1} = f_l(x_l). By the chain rule J_{l+1} = f_l′(x_l) J_l with J_0 = I.
/// forward_jacobian carries the pair (x_l, J_l) from block to block: it linearizes block l once at x_l
/// (layer.h) and applies the derivative, a linear map, to all columns of J_l at once. The block and its
/// weights are dropped afterwards, so the memory is that of J at any depth. One pass reports J at any number
/// of depths. For three blocks x ← x + ½ x of width 1, J_1 = 1.5, J_2 = 2.25 and J_3 = 3.375:
///
///     forward_jacobian(*stack, x0, Matrix::Identity(1, 1), {1, 3}, visit);
///     // visit sees J_1 = 0.75 · 2^1, then J_3 = 0.84375 · 2^2
///
/// J is a mantissa with its largest entry in [0.5, 1) times 2^e. Moving a power of two between them is exact,
/// so deep stacks leave the range of double without overflow and without losing a bit. Starting from tangents
/// other than I gives J · tangents, for example the columns of one token.
///
/// Laws (tests/jacobian): the result has the same bytes for any number of workers; visiting several depths in
/// one pass gives the same bytes as one pass per depth; J is exactly I if every branch scale is 0, every skip
/// scale is 1 and no norm follows the sum.

#include <functional>
#include <vector>

#include "rezero/jacobian/rounding_probe.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero {

/// What fell below the range of double during the pass. A zero is then no proof that the exact number is
/// zero.
enum class Underflow {
  none,
  derivative,  ///< in a block's value or derivative: φ′ far out in a tail
  product,     ///< while multiplying: entries of J below 2^−1074 of the largest are lost for good
  block,       ///< a whole block derivative: even its largest output is close to the underflow threshold
};

/// x_l and J_l · tangents after l = `blocks` blocks; the Jacobian's mantissa is normalized.
struct ForwardStep {
  Index blocks;
  const ScaledVector& state;
  const ScaledMatrix& jacobian;
  Underflow underflow = Underflow::none;  ///< the most serious so far
  const RoundingProbe* probe = nullptr;   ///< the same J on a few directions; null: not computed
  bool zero_columns_hold = true;          ///< every column that became zero also did so in another rounding
};

/// One block of the pass.
struct BlockStep {
  Index block;
  const Block& layer;
  const BlockLinearization& at;  ///< at the mantissa of `before`
  const ScaledVector& before;    ///< x_l
  Real jacobian_change;          ///< max |J_{l+1} − J_l| / max |J_l|, if requested
};

struct ForwardOptions {
  int workers = 1;               ///< threads for drawing blocks and for column panels of a block's product
  bool measure_changes = false;  ///< fill BlockStep::jacobian_change
  /// Called for one block after another, but on any thread, and possibly inside a loop of for_each_index.
  std::function<void(const BlockStep&)> on_block;
  std::function<void()> checkpoint;  ///< called in the same way before each block; may throw to abort
};

/// Carries the columns `tangents` (n × k; the identity for J itself) from x0 through the blocks and calls
/// `visit` after each of the counts `blocks` (ascending, 1 … stack.blocks()). In a positively homogeneous
/// stack the state is renormalized by powers of two as well. NumericalError naming the block if a branch, the
/// state or J is not finite; earlier visits remain valid. Cost: Σ_l flops of block l per column · k. Memory:
/// O(n k).
void forward_jacobian(const Stack& stack, const Vector& x0, Matrix tangents, const std::vector<Index>& blocks,
                      const std::function<void(const ForwardStep&)>& visit,
                      const ForwardOptions& options = {});

/// Starts of the column panels into which `columns` are split for this number of workers, followed by the
/// end. Starts are multiples of 8 apart, and panels at least 16 wide (unless there is only one; the last may
/// be up to 7 wider). Panels are wide enough that one with `rows` rows stays in cache, or that the map's
/// matrices, which every panel reads again, are used long enough. GEMM bits do not depend on such a split.
std::vector<Index> column_panels(Index columns, Index rows, Real flops_per_column, int workers);

}  // namespace rezero
