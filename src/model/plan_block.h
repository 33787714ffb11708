#pragma once
/// What a scheme decides for the blocks of a random stack, before anything is drawn.

#include "rezero/model/stack_spec.h"

namespace rezero {

/// What a first pass found of the blocks before; nothing where a scheme is only asked whether it fits.
struct PassProfile {
  const std::vector<BlockProfile>* blocks = nullptr;
  bool measuring = false;  ///< that pass is under way
};

/// The plan of block `l` of a stack of `layers` layers. UsageError where the scheme does not fit the family,
/// the block or the depth.
BlockPlan plan_block(const StackSpec& spec, Index layers, Index l, const PassProfile& profile = {});

}  // namespace rezero
