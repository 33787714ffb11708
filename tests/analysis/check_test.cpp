#include "rezero/analysis/check.h"

#include <gtest/gtest.h>

#include <functional>

#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::StackText;

AnalysisOptions checking(const std::vector<std::string>& checks) {
  AnalysisOptions options;
  for (const std::string& check : checks) options.checks.emplace_back(parse_named_spec(check));
  return options;
}

std::vector<CheckResult> verify(const Cell& cell, const AnalysisOptions& options) {
  const CellResult result = run_cell(cell, options);
  EXPECT_TRUE(result.failures.empty()) << result.failures.front().message;
  return result.depths.empty() ? std::vector<CheckResult>(options.checks.size())
                               : result.depths.back().checks;
}

std::vector<CheckResult> verify(const StackText& text, Index depth, const std::vector<std::string>& checks) {
  const AnalysisOptions options = checking(checks);
  return verify(Cell(0, testing::stack_spec(text), 5, {depth}, options), options);
}

std::vector<CheckResult> verify(const std::vector<BlockParts>& parts,
                                const std::vector<std::string>& checks) {
  const AnalysisOptions options = checking(checks);
  const StackPtr stack = make_stack(parts, testing::normal(parts.front().shape.size(), 77));
  return verify(Cell(stack, {stack->blocks()}, options), options);
}

/// Which schemes start a transformer as the identity, and whether they train from there.
TEST(Checks, Transformers) {
  const struct {
    const char* scheme;
    bool identity, alive;
  } table[] = {{"rezero", true, true},      {"adaln-zero", true, true}, {"zero-branch-output", true, true},
               {"fixup", true, true},       {"dead", true, false},      {"t-fixup", false, true},
               {"layerscale", false, true}, {"post-ln", false, true},   {"pre-ln", false, true},
               {"ngpt", false, true},       {"deepnorm", false, true},  {"branchnorm", false, false}};
  for (const auto& row : table)
    for (const char* init : {"xavier:law=uniform", "torch-transformer", "rezero-notebook"}) {
      SCOPED_TRACE(std::string(row.scheme) + " " + init);
      StackText text{row.scheme, "transformer", 8, "relu", init, 4};
      text.tokens.tokens = 3;
      text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
      const auto got = verify(text, 12, {"identity", "alive"});
      EXPECT_EQ(got[0].pass, row.identity);
      EXPECT_EQ(got[1].pass, row.alive);
    }
}

/// What identity says of the first block, and whether it passes.
struct Expected {
  const char* scheme;
  bool identity, alive;
  const char* parameter;
  const char* reason;
};

TEST(Checks, EverySchemeAndItsReason) {
  const Expected table[] = {
      {"plain", false, true, "skip_scale", "no skip"},
      {"residual", false, true, "branch_scale", "branch scale 1"},
      {"fixed", false, true, "branch_scale", "branch scale 0.1"},
      {"depth-power", false, true, "branch_scale", "branch scale 0.5"},
      {"normalized-sum", false, true, "skip_scale", "skip scale 0.7071067811865476"},
      {"gated", true, true, "", ""},
      {"gated:a=0.25", false, true, "branch_scale", "gate 0.25"},
      {"rezero", true, true, "", ""},
      {"rezero:alpha=1e-3", false, true, "branch_scale", "branch scale 0.001"},
      {"skipinit", true, true, "", ""},
      {"fixup", true, true, "", ""},
      {"last-weight-scaled", false, true, "branch_scale", "branch scale 1"},
      {"zero-last-weight", true, true, "", ""},
      {"dead", true, false, "", ""},
      {"stable-resnet", false, true, "branch_scale", "branch scale 0.5"},
      {"depth-mup", false, true, "branch_scale", "branch scale 0.5"},
  };
  for (const Expected& expected : table)
    for (const char* init : {"he", "torch-default"}) {
      SCOPED_TRACE(std::string(expected.scheme) + " " + init);
      const auto got = verify({expected.scheme, "mlp", 12, "relu", init}, 4, {"identity", "alive"});
      EXPECT_EQ(got[0].check, "identity");
      EXPECT_EQ(got[0].pass, expected.identity);
      EXPECT_EQ(got[1].pass, expected.alive);
      if (expected.identity) {
        EXPECT_TRUE(got[0].culprits.empty());
        EXPECT_TRUE(got[0].value->is_zero());
        continue;
      }
      ASSERT_FALSE(got[0].culprits.empty());
      EXPECT_EQ(got[0].culprits[0].block, 0);
      EXPECT_EQ(got[0].culprits[0].parameter, expected.parameter);
      EXPECT_EQ(got[0].culprits[0].reason, expected.reason);
    }
}

TEST(Checks, AtMostTenCulpritsAreListedAllAreCounted) {
  const auto got = verify({"fixed", "mlp", 6, "tanh"}, 25, {"identity", "isometry:tol=1e-3"});
  for (const CheckResult& check : got) {
    EXPECT_EQ(check.culprits.size(), 10u) << check.check;
    EXPECT_EQ(check.culprit_count, 25) << check.check;
  }
}

TEST(Checks, IdentityTolerance) {
  EXPECT_TRUE(verify({"fixed:alpha=1e-6", "mlp", 8}, 3, {"identity:tol=1e-3"})[0].pass);
  EXPECT_FALSE(verify({"fixed:alpha=1e-6", "mlp", 8}, 3, {"identity:tol=1e-9"})[0].pass);
  EXPECT_THROW(CheckSpec(parse_named_spec("identity:tol=-1")), UsageError);
  EXPECT_THROW(CheckSpec(parse_named_spec("identty")), UsageError);
  EXPECT_EQ(CheckSpec(parse_named_spec("isometry:tol=0.10")).canonical(), "isometry");
}

TEST(Checks, Isometry) {
  EXPECT_TRUE(verify({"rezero", "mlp", 8}, 30, {"isometry:tol=0"})[0].pass);
  const auto plain =
      verify({"plain", "linear", 8, "identity", "orthogonal"}, 30, {"isometry:tol=1e-12", "identity"});
  EXPECT_TRUE(plain[0].pass) << "orthogonal: an isometry";
  EXPECT_FALSE(plain[1].pass) << "and not the identity";
  const auto deep = verify({"residual", "mlp", 8}, 3000, {"isometry"})[0];
  EXPECT_FALSE(deep.pass);
  EXPECT_GT(deep.value->exponent, 1024) << "measured beyond the range of doubles";
  const auto dies = verify({"plain", "mlp", 8, "tanh", "gaussian:sigma_w=0.001"}, 400, {"isometry"})[0];
  EXPECT_FALSE(dies.pass);
  EXPECT_EQ(dies.value->to_real(), std::optional<Real>(1));
}

/// Blocks that keep their place are not blamed.
TEST(Checks, OnlyTheBlockThatDiffersIsNamed) {
  std::vector<BlockParts> parts(6, testing::random_parts({}));
  for (BlockParts& block : parts) block.branch_scale = Scale::number(0, ScaleRole::parameter);
  parts[4].branch_scale.values = Vector::Zero(5);
  parts[4].branch_scale.values(2) = 0.01;
  const auto got = verify(parts, {"identity", "isometry:tol=0", "alive"});
  for (int check : {0, 1}) {
    ASSERT_EQ(got[check].culprits.size(), 1u);
    EXPECT_EQ(got[check].culprits[0].block, 4);
    EXPECT_EQ(got[check].culprits[0].value, std::optional<Real>(0.01));
    EXPECT_EQ(got[check].culprits[0].reason, "branch scale 0.01 (feature 2)");
  }
  EXPECT_TRUE(got[2].pass);
}

std::string reason_of(const std::function<void(BlockParts&)>& change) {
  BlockParts parts = testing::random_parts({"mlp", "relu", {5, 1}, 7, testing::Biases::present});
  parts.branch_scale = Scale::number(0, ScaleRole::parameter);
  change(parts);
  const CheckResult got = verify({parts}, {"identity"})[0];
  EXPECT_FALSE(got.pass);
  return got.culprits.empty() ? "" : got.culprits[0].parameter + ": " + got.culprits[0].reason;
}

TEST(Checks, ReasonsOfOtherParts) {
  EXPECT_EQ(reason_of([](BlockParts& p) { p.output_bias = Vector::Unit(5, 1) * 1e-3; }),
            "output_bias: bias after the scale");
  EXPECT_EQ(reason_of([](BlockParts& p) { p.skip_scale = Scale::number(0.5); }),
            "skip_scale: skip scale 0.5");
  EXPECT_EQ(reason_of([](BlockParts& p) { p.post_activation = Activation("relu"); }),
            "post_activation: outer activation relu");
  EXPECT_EQ(reason_of([](BlockParts& p) { p.post_norm.kind = &norms().at("mean_subtraction"); }),
            "post_norm: norm after the sum: mean_subtraction");
  EXPECT_EQ(reason_of([](BlockParts& p) {
              p.branch_scale = Scale::number(1);
              p.weights[Role::down].weight = testing::share(Matrix(Matrix::Zero(5, 7)));
            }),
            "down.bias: bias of the zero last weight");
}

/// schemes.md 2.17: x + a (W2 phi(W1 x) + b2). Empty: alive; else the beginning of the reason.
struct Start {
  const char* name;
  Real a;
  bool first_zero, last_zero;
  const char* branch;
  const char* phi;
  ScaleRole role;
  std::string dead;
};

TEST(Checks, DeadBranches) {
  const ScaleRole parameter = ScaleRole::parameter, constant = ScaleRole::constant;
  const Start table[] = {
      {"rezero", 0, false, false, "mlp", "relu", parameter, ""},
      {"W2 = 0", 1, false, true, "mlp", "relu", parameter, ""},
      {"a = 0 and W2 = 0", 0, false, true, "mlp", "relu", parameter,
       "dead: branch output and gate are both zero"},
      {"all zero", 0, true, true, "mlp", "relu", parameter, "dead: branch output and gate are both zero"},
      {"W1 = W2 = 0, relu", 1, true, true, "mlp", "relu", parameter,
       "dead: the last weight is zero, and so is its input"},
      {"W1 = W2 = 0, softplus", 1, true, true, "mlp", "softplus", parameter, ""},
      {"W1 = W2 = 0, sigmoid", 1, true, true, "mlp", "sigmoid", parameter, ""},
      {"a = 0, W1 = 0, relu", 0, true, false, "mlp", "relu", parameter,
       "dead: the gate is zero and so is the branch output for this input"},
      {"a = 0, W1 = 0, softplus", 0, true, false, "mlp", "softplus", parameter, ""},
      {"dense relu, W = 0", 1, true, true, "dense", "relu", parameter,
       "dead: the last weight is zero and no gradient reaches it (the activation's derivative at 0 is 0)"},
      {"dense tanh, W = 0", 1, true, true, "dense", "tanh", parameter, ""},
      {"preactivation relu, W = 0", 1, true, true, "preactivation", "relu", parameter, ""},
      {"glu, W2 = 0", 1, false, true, "glu", "silu", parameter, ""},
      {"constant zero", 0, false, false, "mlp", "relu", constant, "dead: the branch scale is a constant 0"},
      {"constant one", 1, false, false, "mlp", "relu", constant, ""},
  };
  for (const Start& start : table) {
    SCOPED_TRACE(start.name);
    BlockParts parts = testing::random_parts({start.branch, start.phi, {8, 1}, 16});
    parts.branch_scale = Scale::number(start.a, start.role);
    const std::vector<WeightSlot> slots = parts.branch->slots({8, 16});
    for (const WeightSlot& slot : slots)
      if (slot.role == slots.back().role ? start.last_zero : start.first_zero)
        parts.weights[slot.role].weight = testing::share(Matrix(Matrix::Zero(slot.rows(), slot.cols())));
    const CheckResult got = verify({parts, parts}, {"alive"})[0];
    EXPECT_EQ(got.pass, start.dead.empty());
    EXPECT_EQ(got.culprit_count, start.dead.empty() ? 0 : 2);
    if (!start.dead.empty()) {
      ASSERT_EQ(got.culprits.size(), 2u);
      EXPECT_EQ(got.culprits[1].block, 1);
      EXPECT_EQ(got.culprits[0].reason, start.dead);
      EXPECT_EQ(got.culprits[0].parameter, start.a == 0                    ? "branch_scale"
                                           : parts.branch->name == "dense" ? "linear.weight"
                                                                           : "down.weight");
    }
  }
}

TEST(Checks, GateBehindADeadOuterActivation) {
  BlockParts parts = testing::random_parts({"mlp", "relu", {5, 1}, 7});
  parts.branch_scale = Scale::number(0, ScaleRole::parameter);
  parts.output_bias = Vector::Constant(5, -100);
  parts.post_activation = Activation("relu");  // all off
  const CheckResult got = verify({parts}, {"alive"})[0];
  ASSERT_EQ(got.culprits.size(), 1u);
  EXPECT_EQ(got.culprits[0].reason, "dead: no gradient reaches the gate");
}

}  // namespace
}  // namespace rezero
