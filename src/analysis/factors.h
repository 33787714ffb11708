#pragma once
/// The factors of the reported J, for `--method product`.

#include <memory>
#include <vector>

#include "analysis/depth_view.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/jacobian/forward.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero::detail {

/// What a forward pass leaves behind of each block: the state at which it was linearized, and of the first
/// blocks the derivative. The others are rebuilt by address on request, with the same bits.
class PassedBlocks {
 public:
  /// kept: the number of derivatives to keep. Blocks are drawn by `workers` threads.
  PassedBlocks(StackPtr stack, Index kept, int workers)
      : stack_(std::move(stack)), kept_(kept), workers_(workers) {}

  void add(const BlockStep& step);
  /// ∂x_{l+1}/∂x_l, condensed for `columns` columns.
  LinearMapPtr derivative(Index l, Index columns, Rounding rounding) const;

 private:
  BlockPtr draw(Index l) const;
  LinearMapPtr in_other_rounding(Index l, int sample) const;

  StackPtr stack_;
  Index kept_;
  int workers_;
  struct Passed {
    ScaledVector state;
    LinearMapPtr derivative;  ///< null if not kept
    bool piecewise_linear;
  };
  std::vector<Passed> blocks_;
};

/// J after `blocks` blocks as the product of the blocks' derivatives and of the maps of the view. `at` calls
/// `checkpoint` first, which may throw. The view must outlive the source.
FactorSource factors_of(std::shared_ptr<const PassedBlocks> passed, Index blocks, const DepthView& view,
                        Index columns, std::function<void()> checkpoint);
/// The same from the maps of a pass, which must outlive the source, too.
FactorSource factors_of(const BlockMaps& maps, Index blocks, const DepthView& view,
                        std::function<void()> checkpoint);

}  // namespace rezero::detail
