#pragma once
/// The decisions of a scheme for the blocks of a random stack, before anything is drawn.

#include "rezero/model/stack_spec.h"

namespace rezero {

/// Measurements of the preceding blocks by a first pass; absent if only the fit of a scheme is tested.
struct PassProfile {
  const std::vector<BlockProfile>* blocks = nullptr;
  bool measuring = false;  ///< that pass is running
};

/// The plan of block `l` of a stack of `layers` layers; `geometry` is that of the spec. UsageError if the scheme
/// does not fit the family, the block or the depth.
BlockPlan plan_block(const StackSpec& spec, const RandomGeometry& geometry, Index layers, Index l,
                     const PassProfile& profile = {});

}  // namespace rezero
