/// Progress of transformers ran to 200 %: two blocks per layer were counted, but one per layer was expected.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"

namespace rezero {
namespace {

TEST(Regression, ProgressCountedLayersAsBlocks) {
  SweepPlan plan;
  plan.schemes.emplace_back("pre-ln");
  plan.family = &families().at("transformer");
  plan.depths = {1, 3}, plan.widths = {4}, plan.seeds = {1, 2};
  plan.tokens.tokens = 2, plan.hidden_ratio = 1;
  plan.activations.emplace_back("gelu");
  RunOptions run;
  Index reached = 0, expected = 0;
  run.progress = [&](Index done, Index all) { reached = done, expected = all; };
  run_sweep(plan, expand_cells(plan), run, [](const CellResult&) {});
  EXPECT_EQ(reached, expected);
  EXPECT_EQ(reached, 2 * 3 * 2);
}

}  // namespace
}  // namespace rezero
