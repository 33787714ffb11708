#pragma once
/// Weights against a recipe: does a file hold what a scheme would have drawn?
///
/// A recipe is a scheme with the initializer of its source. It fixes, for every weight of a block, a law: the
/// gain of the scheme times the law of the initializer for that role and shape, of standard deviation σ and
/// mean 0. A file that follows the recipe is accused of anything with probability `level` at most, whether or
/// not its weights are independent: each of the M weights that are random gets level/M (Bonferroni), half of
/// it for the mean square of its N entries (mean_square_interval.h), half for their mean. Besides, no entry
/// may be larger than the law allows. Weights of σ = 0 must be exactly zero. Scales, norms and their trained
/// numbers must be equal to those of the scheme, up to the rounding of float32, bfloat16 or half precision.

#include "rezero/analysis/check.h"
#include "rezero/init/entry_law.h"
#include "rezero/model/found_block.h"

namespace rezero {

struct Recipe {
  SchemeSpec scheme;
  std::optional<Initializer> init;  ///< default: that of the scheme's source, as for random stacks
  std::vector<FoundBlock> blocks;   ///< all of the file: their number enters the rule
  Real level = 1e-3;                ///< family-wise, between 0 and 1
};

/// A tensor of the file beside its law.
struct TensorFinding {
  Index block = 0;
  std::string name;
  EntryShape shape = EntryShape::normal;
  Index count = 0;  ///< numbers
  Real rms = 0, expected = 0;
  std::optional<Real> low, high;  ///< of the root mean square, if it is not fixed
  Real mean = 0;
  std::optional<Real> mean_bound;  ///< of |mean|, the same
  bool pass = true;
};

/// What a verdict says beyond its culprits.
struct RecipeFindings {
  std::string scheme, init, family;
  Real level = 0, level_of_tensor = 0;
  std::vector<TensorFinding> tensors;     ///< every weight and bias whose role is known, by block
  Index constants = 0;                    ///< scales, norms and their numbers that were compared
  std::vector<std::string> without_bias;  ///< weights without a bias, where the law has one: not a fault
  std::vector<std::string> unmatched;     ///< weights whose role is not known
  bool compares_wiring = true;  ///< norms and skip scales were compared, as far as the scheme fixes them
};

/// UsageError if the scheme does not fit the blocks, or if their branches are not those of one family.
void require_fit(const Recipe& recipe);

/// The verdict on the first `blocks` blocks, a check named `recipe`. A culprit is a tensor with its root mean
/// square and what it should be. Cost: one pass through the weights.
CheckResult check_recipe(const Recipe& recipe, Index blocks);

/// Memory of the weights that a recipe holds beside those of the stack.
Real copied_bytes(const Recipe& recipe);

}  // namespace rezero
