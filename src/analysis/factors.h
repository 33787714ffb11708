#pragma once
/// The factors of the J that a report sees: what `--method product` works with.

#include "analysis/depth_view.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero::detail {

/// J after `blocks` blocks as the product of the blocks' derivatives and of what the view puts around them.
/// Nothing is computed before a factor is asked for; then one pass of x0 through the blocks, as BlockMaps.
/// `at` may throw what `options.checkpoint` throws. The view must outlive the source.
FactorSource factors_of(const StackPtr& stack, Index blocks, const DepthView& view, BlockMapsOptions options);

}  // namespace rezero::detail
