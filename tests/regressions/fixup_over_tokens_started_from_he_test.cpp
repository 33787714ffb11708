/// Fixup over tokens started from he, with separate queries, keys and values; its code draws xavier-uniform,
/// with these three as one fused matrix.

#include <gtest/gtest.h>

#include "rezero/analysis/plan.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, FixupOverTokensStartedFromHe) {
  SweepPlan plan;
  plan.schemes.emplace_back("fixup");
  plan.family = &families().at("transformer");
  ASSERT_EQ(initializers_of(plan, plan.schemes[0]).size(), 1u);
  EXPECT_EQ(initializers_of(plan, plan.schemes[0])[0].canonical(), "xavier:law=uniform");
  plan.family = &families().at("mlp");
  EXPECT_EQ(initializers_of(plan, plan.schemes[0])[0].canonical(), "he");
  testing::StackText text{"fixup", "transformer", 64, "relu", "xavier:law=uniform", 4};
  text.tokens.tokens = 2;
  const BlockPtr attention = testing::stack(text, 1, 32)->block(0);
  const Real bound = std::sqrt(6.0 / (4 * 64)) * std::pow(64, -1.0 / 6);  // 3d x d, 64 sublayers
  for (Role role : {Role::query, Role::key, Role::value}) {
    const Real largest = attention->parts().weights.at(role).weight->cwiseAbs().maxCoeff();
    EXPECT_LE(largest, bound * (1 + 1e-15)) << role_name(role);
    EXPECT_GT(largest, bound * 0.99) << role_name(role);
  }
}

}  // namespace
}  // namespace rezero
