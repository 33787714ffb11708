#pragma once
/// The derivatives of the blocks along one forward pass, for use in both directions by matrix-free methods
/// and product decompositions.

#include <functional>
#include <memory>
#include <vector>

#include "rezero/jacobian/forward.h"
#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero {

namespace detail {
struct BlockPass;
}

struct BlockMapsOptions {
  /// the derivatives of this many first blocks are kept; the others are rebuilt on request
  Index kept_blocks = 0;
  Index columns = 256;  ///< approximate number of columns each derivative will be applied to, for `condense`
  StreamKey probe = stream_key(0, StreamRole::probe);  ///< stream of the vector by which growth is measured
  std::function<void()> checkpoint;                    ///< called before each block; may throw to give up
};

/// Immutable after construction; safe to share between threads. Memory: (blocks + 1) n doubles for the
/// states, and the kept derivatives (each about its weights and a dozen n doubles).
class BlockMaps {
 public:
  /// Passes x0 through the first `blocks` blocks. NumericalError naming the block if a branch or the state is
  /// not finite. Cost: one evaluation and one JVP of one column per block.
  BlockMaps(StackPtr stack, const Vector& x0, Index blocks, BlockMapsOptions options = {});

  Index blocks() const;
  /// ∂x_{block+1}/∂x_block at x_block, kept or rebuilt by address. The bits are the same either way.
  LinearMapPtr at(Index block) const;
  /// The same in another rounding (SimulatedRounding), if rounding can affect it.
  LinearMapPtr in_other_rounding(Index block, int sample = 0) const;
  /// x_l, l = 0 … blocks, at which block l was linearized.
  const ScaledVector& state(Index l) const;

  /// J_depth = ∂x_depth/∂x_0, 1 ≤ depth ≤ blocks, as map · 2^exponent. The exponent is that of ‖J v‖/‖v‖ for
  /// a random v, so the root mean square singular value of the map is about 1. Each column has a separate
  /// exponent on its way, adjusted by powers of two. It overflows only if the result itself does, which is a
  /// NumericalError that names the block. The map keeps the objects it needs alive. Cost of apply and of
  /// apply_transpose: Σ_l flops of block l per column. Columns are carried one by one, so bits do not depend
  /// on their number.
  ScaledMap jacobian(Index depth, Rounding rounding = {}) const;

  /// Underflow so far, in the pass or in a vector to which a map was applied.
  Underflow underflow() const;
  /// Flops of J_depth applied to one column.
  Real flops_per_column(Index depth) const;

 private:
  std::shared_ptr<const detail::BlockPass> pass_;
};

}  // namespace rezero
