#include "rezero/theory/masks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/theory_laws.h"

namespace rezero::theory {
namespace {

using testing::net;
using testing::NetText;

RankLaw ranks(const NetworkLaw& law) {
  return rank_law(law, mean_field(law));
}

TEST(Masks, MinimumOfBinomials) {
  EXPECT_NEAR(expected_minimum({{1, 0.5}}), 0.5, 1e-15);
  EXPECT_NEAR(expected_minimum({{1, 0.5}, {1, 0.25}}), 0.125, 1e-15);
  EXPECT_NEAR(expected_minimum({{2, 0.5}, {2, 0.5}}), 9.0 / 16 + 1.0 / 16, 1e-14);
  EXPECT_NEAR(expected_minimum({{400, 0.5}}), 200, 1e-9);
  EXPECT_NEAR(expected_minimum({{7, 1}, {9, 1}}), 7, 1e-12);
  EXPECT_LE(expected_minimum({{7, 0}, {9, 1}}), 1e-300);
  // The expected smallest of four normal numbers is 1.02938 standard deviations below the mean.
  EXPECT_NEAR(expected_minimum({{100000, 0.5}, {100000, 0.5}, {100000, 0.5}, {100000, 0.5}}),
              50000 - 1.02938 * std::sqrt(25000), 1);
}

TEST(Masks, PlainNets) {
  NetworkLaw law = net({BranchForm::dense, "relu", 1, 2}, 4, 400);
  for (BlockLaw& block : law.blocks) block.skip = 0;
  const RankLaw relu = ranks(law);
  EXPECT_EQ(relu.limit[0], 1);
  EXPECT_EQ(relu.limit[4], 0.5);
  EXPECT_NEAR(relu.expected[1], 0.5, 1e-12);
  EXPECT_LT(relu.expected[4], 0.48);
  EXPECT_EQ(relu.unit[4], 0);
  law.activation = Activation("tanh");
  EXPECT_EQ(ranks(law).limit[4], 1);
  EXPECT_NEAR(ranks(law).expected[4], 1, 1e-12);
  law.activation = Activation("hard_tanh");
  EXPECT_NEAR(ranks(law).limit[1], std::erf(1 / std::sqrt(2 * 2.0)), 1e-12);
}

/// Atoms at σ = 1 of residual blocks of low rank.
TEST(Masks, LowRankBranches) {
  const struct {
    Real gamma;
    Index depth;
    Real printed;
  } table[] = {{.5, 1, .5}, {.25, 1, .75}, {.25, 2, .5}, {.25, 4, 0}, {.125, 2, .75}, {.125, 4, .5}};
  for (const auto& row : table) {
    const RankLaw law = ranks(net({BranchForm::mlp, "relu", 0.5, 2, 1, 0, row.gamma}, row.depth, 400));
    EXPECT_NEAR(law.unit.back(), row.printed, 1e-12);
    EXPECT_EQ(law.limit.back(), 1);
    EXPECT_EQ(law.expected.back(), 1);
  }
  EXPECT_EQ(ranks(net({BranchForm::mlp, "relu", 0, 2}, 4, 400)).unit.back(), 1);
}

}  // namespace
}  // namespace rezero::theory
