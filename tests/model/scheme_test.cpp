#include "rezero/model/scheme.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"
#include "support/stacks.h"

namespace rezero {
namespace {

struct At {
  Index block = 0, total = 64;
  const char* branch = "mlp";
};

BlockPlan plan(const std::string& text, const At& at = {}) {
  const SchemeSpec spec(text);
  const BranchKind& branch = branches().at(at.branch);
  return spec.scheme().plan({at.block, at.total, &branch, &spec.params(), branch.slots(6, 9)});
}

void expect_scales(const BlockPlan& plan, Real skip, Real branch, ScaleRole role) {
  ASSERT_EQ(plan.skip_scale.values.size(), 1);
  ASSERT_EQ(plan.branch_scale.values.size(), 1);
  EXPECT_DOUBLE_EQ(plan.skip_scale.values(0), skip);
  EXPECT_DOUBLE_EQ(plan.branch_scale.values(0), branch);
  EXPECT_EQ(plan.branch_scale.role, role);
  EXPECT_EQ(plan.skip_scale.role, ScaleRole::constant);
  EXPECT_FALSE(plan.pre_norm || plan.post_norm);
}

constexpr ScaleRole constant = ScaleRole::constant, parameter = ScaleRole::parameter;

TEST(Schemes, Scales) {
  expect_scales(plan("plain"), 0, 1, constant);
  expect_scales(plan("residual"), 1, 1, constant);
  expect_scales(plan("fixed"), 1, 0.1, constant);
  expect_scales(plan("fixed:alpha=-2"), 1, -2, constant);
  expect_scales(plan("depth-power"), 1, 0.125, constant);
  expect_scales(plan("depth-power:c=3:p=1"), 1, 3.0 / 64, constant);
  expect_scales(plan("depth-power:p=0"), 1, 1, constant);
  expect_scales(plan("normalized-sum"), std::sqrt(0.5), std::sqrt(0.5), constant);
  expect_scales(plan("rezero"), 1, 0, parameter);
  expect_scales(plan("rezero:alpha=1e-3"), 1, 1e-3, parameter);
  expect_scales(plan("skipinit"), 1, 0, parameter);
  expect_scales(plan("skipinit:alpha=0.125"), 1, 0.125, parameter);
  expect_scales(plan("dead"), 1, 0, parameter);
  expect_scales(plan("zero-last-weight"), 1, 1, constant);
  expect_scales(plan("last-weight-scaled"), 1, 1, constant);
  expect_scales(plan("gated:a=0.25"), 1, 0.25, parameter);
  EXPECT_EQ(plan("gated").mix, MixRule::gated);
  EXPECT_EQ(plan("rezero").mix, MixRule::additive);
}

TEST(Schemes, StableResnet) {
  for (Index l : {0, 1, 9, 63}) {
    expect_scales(plan("stable-resnet", {l, 64}), 1, 0.125, constant);
    const Real index = static_cast<Real>(l + 1);
    expect_scales(plan("stable-resnet:variant=decreasing", {l, 64}), 1,
                  1 / (std::sqrt(index) * std::log(index + 1)), constant);
  }
  EXPECT_TRUE(SchemeSpec("stable-resnet").depends_on_depth());
  EXPECT_FALSE(SchemeSpec("stable-resnet:variant=decreasing").depends_on_depth());
  EXPECT_THROW(SchemeSpec("stable-resnet:variant=linear"), UsageError);
}

/// Squares of the decreasing scales have a bounded sum: the tail beyond l is at most 1/ln(l + 1) … by
/// ∫ dl / (l ln² l).
TEST(Schemes, DecreasingStableResnetIsSquareSummable) {
  Real sum = 0, at_1000 = 0;
  for (Index l = 0; l < 100000; ++l) {
    sum += std::pow(plan("stable-resnet:variant=decreasing", {l, 100000}).branch_scale.values(0), 2);
    if (l == 999) at_1000 = sum;
  }
  EXPECT_LE(sum - at_1000, 1 / std::log(1000.0) - 1 / std::log(100000.0) + 1e-9);
}

/// schemes.md 2.8: last layer zero, the others times L^(−1/(2m−2)): m = 2 gives L^−1/2, biases start at zero.
TEST(Schemes, Fixup) {
  const BlockPlan mlp = plan("fixup");
  EXPECT_EQ(mlp.gain(Role::down).weight, 0);
  EXPECT_DOUBLE_EQ(mlp.gain(Role::up).weight, 0.125);
  EXPECT_EQ(mlp.gain(Role::up).bias, 0);
  EXPECT_EQ(mlp.gain(Role::down).bias, 0);
  const BlockPlan glu = plan("fixup", {0, 64, "glu"});
  EXPECT_EQ(glu.gain(Role::down).weight, 0);
  EXPECT_DOUBLE_EQ(glu.gain(Role::up).weight, 0.125);
  EXPECT_DOUBLE_EQ(glu.gain(Role::gate).weight, 0.125);
  for (const char* single : {"linear", "dense", "preactivation"})
    for (Index total : {1, 64}) EXPECT_EQ(plan("fixup", {0, total, single}).gain(Role::linear).weight, 0);
  expect_scales(mlp, 1, 1, parameter);
}

TEST(Schemes, LastWeights) {
  const BlockPlan scaled = plan("last-weight-scaled:c=2:p=1");
  EXPECT_DOUBLE_EQ(scaled.gain(Role::down).weight, 2.0 / 64);
  EXPECT_EQ(scaled.gain(Role::down).bias, 1) << "the bias is not scaled";
  EXPECT_EQ(scaled.gain(Role::up).weight, 1);
  EXPECT_EQ(plan("last-weight-scaled", {0, 64, "dense"}).gain(Role::linear).weight, 0.125);
  for (const char* zero : {"zero-last-weight", "dead"}) {
    EXPECT_EQ(plan(zero).gain(Role::down).weight, 0);
    EXPECT_EQ(plan(zero).gain(Role::down).bias, 0);
    EXPECT_EQ(plan(zero).gain(Role::up).weight, 1);
    EXPECT_EQ(plan(zero).gain(Role::up).bias, 1);
  }
}

TEST(Schemes, DepthMup) {
  const BlockPlan at = plan("depth-mup:c=2", {0, 64, "dense"});
  expect_scales(at, 1, 0.25, constant);
  ASSERT_TRUE(at.branch_norm);
  EXPECT_EQ(at.branch_norm.kind->name, "mean_subtraction");
  EXPECT_EQ(schemes().at("depth-mup").made_for, std::vector<std::string_view>{"dense"});
}

TEST(Schemes, RezeroAlphasAreOnePerBlock) {
  SchemeSpec spec("rezero:alphas=file.json");
  EXPECT_TRUE(spec.depends_on_depth());
  EXPECT_FALSE(SchemeSpec("rezero:alpha=0.5").depends_on_depth());
  for (ParamValue& value : spec.params().values())
    if (value.name == "alphas") value.series = {0.5, -1, 2};
  StackSpec stack = testing::stack_spec({});
  stack.scheme = spec;
  const StackPtr three = build_stack(stack, 1, 3);
  EXPECT_EQ(three->block(0)->parts().branch_scale.values(0), 0.5);
  EXPECT_EQ(three->block(1)->parts().branch_scale.values(0), -1);
  EXPECT_EQ(three->block(2)->parts().branch_scale.values(0), 2);
  for (Index wrong : {2, 4}) EXPECT_THROW(build_stack(stack, 1, wrong), UsageError);
}

TEST(Schemes, NamesAndDescriptions) {
  EXPECT_EQ(schemes().at("fixed-alpha").name, "fixed");
  EXPECT_EQ(schemes().at("zero-conv").name, "zero-last-weight");
  EXPECT_EQ(SchemeSpec("rezero:alpha=0").canonical(), "rezero");
  EXPECT_EQ(SchemeSpec("depth-power:p=1:c=1").canonical(), "depth-power:p=1");
  EXPECT_EQ(schemes().size(), 14u);
  for (const Scheme& scheme : schemes())
    for (std::string_view text : {scheme.update, scheme.summary, scheme.source, scheme.depth_symbol})
      EXPECT_FALSE(text.empty()) << scheme.name;
}

/// Every scheme gives finite numbers for every branch kind, block and depth, the ends included.
TEST(LawSchemes, FinitePlansEverywhere) {
  for (const Scheme& scheme : schemes())
    for (const BranchKind& branch : branches())
      for (Index total : {1, 2, 1000000})
        for (Index block : {Index{0}, total - 1}) {
          const BlockPlan at = plan(std::string(scheme.name), {block, total, branch.name.data()});
          EXPECT_TRUE(at.skip_scale.values.allFinite() && at.branch_scale.values.allFinite()) << scheme.name;
          for (const auto& [role, gain] : at.gains)
            EXPECT_TRUE(std::isfinite(gain.weight) && std::isfinite(gain.bias))
                << scheme.name << ' ' << role_name(role);
        }
}

}  // namespace
}  // namespace rezero
