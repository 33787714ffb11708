#pragma once
/// The blocks' derivatives along one forward pass, to be applied in both directions: what matrix-free methods
/// and product decompositions work with.

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
  Index kept_blocks =
      0;  ///< derivatives of that many first blocks are kept; the others are made when asked for
  Index columns = 256;  ///< that each derivative will be applied to, about: what `condense` decides by
  StreamKey probe = stream_key(0, StreamRole::probe);  ///< of the vector that growth is measured on
  std::function<void()> checkpoint;                    ///< called before each block; may throw to give up
};

/// Immutable once made; safe to share between threads. Memory: states, (blocks + 1) n doubles, and what the
/// kept derivatives hold (about their weights and a dozen n doubles each).
class BlockMaps {
 public:
  /// Passes x0 through the first `blocks` blocks. NumericalError naming the block when a branch or the state
  /// stops being finite. Cost one evaluation and one JVP of one column a block.
  BlockMaps(StackPtr stack, const Vector& x0, Index blocks, BlockMapsOptions options = {});

  Index blocks() const;
  /// ∂x_{block+1}/∂x_block at x_block: kept, or made anew by address. Bits do not depend on which.
  LinearMapPtr at(Index block) const;
  /// The same in another rounding (SimulatedRounding), where rounding can reach it.
  LinearMapPtr in_other_rounding(Index block, int sample = 0) const;
  /// x_l, l = 0 … blocks: what block l was linearized at.
  const ScaledVector& state(Index l) const;

  /// J_depth = ∂x_depth/∂x_0, 1 ≤ depth ≤ blocks, as map · 2^exponent. The exponent is that of ‖J v‖/‖v‖ for
  /// a random v, so the map's root mean square singular value is about 1. A column on its way has an exponent
  /// of its own, moved by powers of two: it overflows only where the result itself does, which is refused
  /// with a NumericalError that names the block. Keeps what it needs alive. Cost of apply: Σ_l flops of block
  /// l a column; apply_transpose the same. `columns` are carried one by one: bits do not depend on how many
  /// come.
  ScaledMap jacobian(Index depth, Rounding rounding = {}) const;

  /// What fell below the range of double so far: in the pass, or in a vector that a map was applied to.
  Underflow underflow() const;
  /// Floating-point operations of J_depth on one column.
  Real flops_per_column(Index depth) const;

 private:
  std::shared_ptr<const detail::BlockPass> pass_;
};

}  // namespace rezero
