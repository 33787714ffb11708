#pragma once
/// The factors of the reported J, for `--method product`.

#include "analysis/depth_view.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero::detail {

/// J after `blocks` blocks as the product of the blocks' derivatives and of the maps of the view. Nothing is
/// computed before the first request for a factor; then x0 passes once through the blocks, as in BlockMaps.
/// `at` may throw whatever `options.checkpoint` throws. The view must outlive the source.
FactorSource factors_of(const StackPtr& stack, Index blocks, const DepthView& view, BlockMapsOptions options);

}  // namespace rezero::detail
