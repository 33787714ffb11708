/// The estimated memory and work of a net with stages were those of its first stage and its last block: if
/// channels grew more than fourfold, or shrank, a run was accepted that needed many times the allowed memory.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

Route route(const std::vector<Index>& widths, Index depth) {
  SweepPlan plan;
  plan.schemes.emplace_back("residual");
  plan.family = &families().at("conv");
  plan.conv.image = {8, 8, 1};
  plan.conv.stages = {1, 1}, plan.conv.widths = widths;
  plan.conv.shortcut = ShortcutKind::projection;
  plan.widths = {widths.front()};
  plan.activations.emplace_back("relu");
  plan.initializers.emplace_back(parse_named_spec("he"));
  plan.seeds = {0};
  plan.depths = {depth};
  plan.analysis.method = "dense";
  return expand_cells(plan)[0].route;
}

TEST(Regression, EstimateSawTheFirstStageOnly) {
  const Real in = 4 * 64, out = 512 * 16, weights = 512.0 * 9 * (4 + 512) * 8;
  const Route wide = route({4, 512}, 2);
  EXPECT_GE(wide.bytes, 6 * in * out * 8);
  EXPECT_GE(wide.bytes, 6 * weights);
  EXPECT_GE(wide.flops, in * 2 * weights / 8 * 16);
  EXPECT_GE(route({512, 4}, 2).bytes, 2 * 512.0 * 512 * 9 * 8);
  EXPECT_LT(route({4, 512}, 1).flops, wide.flops / 100);  // the second stage is not reached
}

}  // namespace
}  // namespace rezero
