#pragma once
/// Weights against a recipe: does a file hold what a scheme would have drawn?
///
/// A recipe is a scheme with the initializer of its source. It fixes, for every weight of a block, a law: the
/// gain of the scheme times the standard deviation of the initializer for that role and shape. The mean
/// square of a weight's N entries is compared with σ², within an interval that a weight drawn by the recipe
/// leaves with probability level/M, M the number of weights compared (Bonferroni, so that a file that follows
/// the recipe is accused of anything with probability `level` at most, independent weights or not). Weights
/// of σ = 0 must be exactly zero. Scales, norms and their trained numbers must be equal to those of the
/// scheme, up to the rounding of float32.

#include "rezero/analysis/check.h"
#include "rezero/model/found_block.h"

namespace rezero {

struct Recipe {
  SchemeSpec scheme;
  std::optional<Initializer> init;  ///< default: that of the scheme's source, as for random stacks
  std::vector<FoundBlock> blocks;   ///< all of the file: their number enters the rule
  Real level = 1e-3;                ///< family-wise
};

/// UsageError if the scheme does not fit the blocks, or if their branches are not those of one family.
void require_fit(const Recipe& recipe);

/// The verdict on the first `blocks` blocks, a check named `recipe`. A culprit is a tensor with its root mean
/// square and what it should be. Cost: one pass through the weights.
CheckResult check_recipe(const Recipe& recipe, Index blocks);

}  // namespace rezero
