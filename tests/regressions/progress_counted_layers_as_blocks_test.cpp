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
  std::vector<Real> shares;
  run.progress = [&](const SweepProgress& now) { shares.push_back(now.share); };
  run_sweep(plan, expand_cells(plan), run, [](const CellResult&) {});
  EXPECT_EQ(shares.size(), 2u * (3 * 2 + 2 + 1));  // seeds × (blocks, depths, the end of the cell)
  for (std::size_t i = 1; i + 1 < shares.size(); ++i) {
    EXPECT_GT(shares[i], shares[i - 1] - 1e-15);
    EXPECT_LT(shares[i], 1 + 1e-15);
  }
  EXPECT_LT(shares[shares.size() - 3], 1);
  EXPECT_EQ(shares.back(), 1);
}

}  // namespace
}  // namespace rezero
