/// The L2 norm's output never moves along itself: one exact zero per token at the end of an nGPT stack, which
/// was counted as unresolved.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, NullDirectionOfTheL2Norm) {
  testing::StackText text;
  text.scheme = "ngpt", text.width = 8;
  const Cell cell(0, testing::stack_spec(text), 0, {1, 5}, {});
  for (const DepthResult& depth : run_cell(cell, {}).depths) {
    EXPECT_EQ(depth.spectrum.null_directions, 1);
    EXPECT_EQ(depth.spectrum.unresolved(), 0);
  }
}

}  // namespace
}  // namespace rezero
