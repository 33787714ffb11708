/// Branches that are zero without a zero parameter (every relu off, or a batch norm over one value) silently
/// passed as the identity.

#include <gtest/gtest.h>

#include <functional>

#include "rezero/analysis/sweep.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using Change = std::function<void(BlockParts&)>;

CheckResult live(const BlockParts& parts, const Vector& input, const char* check = "live") {
  AnalysisOptions options;
  options.checks.emplace_back(parse_named_spec(check));
  options.spectrum = false;
  const CellResult got = run_stack(make_stack({parts, parts}, input), {2}, options);
  EXPECT_TRUE(got.failures.empty()) << got.failures.front().message;
  return got.depths.empty() ? CheckResult{} : got.depths[0].checks.at(0);
}

/// For x + relu(−x) blocks and similar ones at x = 1. Empty: passes.
std::string reason(const testing::PartsSpec& spec, const Change& change) {
  BlockParts parts = testing::random_parts(spec);
  change(parts);
  const CheckResult got = live(parts, Vector::Ones(parts.shape.size()));
  EXPECT_EQ(got.pass, got.culprits.empty());
  EXPECT_EQ(got.fails(), !got.pass);
  EXPECT_EQ(got.culprit_count, got.pass ? 0 : 2);
  return got.culprits.empty() ? "" : got.culprits[0].reason;
}

void negate(BlockParts& parts, Role role) {
  parts.weights[role].weight = testing::share(Matrix(-parts.weights.at(role).weight->cwiseAbs()));
}

TEST(LifelessBranches, AreNamed) {
  const Change off = [](BlockParts& p) { negate(p, Role::up); };
  EXPECT_EQ(reason({"mlp", "relu"}, off), "every relu is off");
  EXPECT_EQ(reason({"mlp", "relu_squared"}, off), "every relu_squared is off");
  EXPECT_EQ(reason({"dense", "relu"}, [](BlockParts& p) { negate(p, Role::linear); }), "every relu is off");
  EXPECT_EQ(reason({"mlp", "relu", {1, 1}}, [](BlockParts& p) { p.pre_norm = NormSpec::of("layer_norm"); }),
            "layer_norm over a single value, whose derivative is zero");
  EXPECT_EQ(reason({"conv", "relu", {3, 1}},
                   [](BlockParts& p) { p.conv.norms.assign(2, NormSpec::of("batch_norm")); }),
            "batch_norm over a single value, whose derivative is zero");
  EXPECT_EQ(reason({"mlp", "hard_tanh"},
                   [](BlockParts& p) {
                     p.weights[Role::up].weight = testing::share(Matrix(Matrix::Constant(7, 5, 9)));
                   }),
            "the derivative of the branch is zero although no parameter is");
  EXPECT_EQ(reason({"mlp", "tanh"}, [](BlockParts& p) { p.pre_norm = NormSpec::of("layer_norm"); }),
            "the branch output is zero although no parameter is")
      << "the input is constant";
}

TEST(LifelessBranches, ThatUnderflowedAreNotCalledZero) {
  const Change tiny = [](BlockParts& p) {
    for (auto& [role, pair] : p.weights) pair.weight = testing::share(Matrix(1e-200 * *pair.weight));
  };
  EXPECT_EQ(reason({"mlp", "tanh"}, tiny), "the branch output is below the range of double");
}

TEST(LifelessBranches, AreNoneWhereAParameterIsZeroOrSomethingPasses) {
  EXPECT_EQ(reason({"mlp", "relu"}, [](BlockParts&) {}), "");
  EXPECT_EQ(reason({"mlp", "leaky_relu"}, [](BlockParts& p) { negate(p, Role::up); }), "");
  const Change off[] = {
      [](BlockParts& p) { p.branch_scale = Scale::number(0); },
      [](BlockParts& p) { p.weights[Role::down].weight = testing::share(Matrix(Matrix::Zero(5, 7))); },
      [](BlockParts& p) { p.weights[Role::up].weight = testing::share(Matrix(Matrix::Zero(7, 5))); },
      [](BlockParts& p) {
        p.pre_norm = NormSpec::of("rms_norm");
        p.pre_norm.weight = testing::share(Vector(Vector::Zero(5)));
      }};
  for (const Change& change : off) EXPECT_EQ(reason({"mlp", "relu"}, change), "");
}

TEST(LifelessBranches, AWarningIsNoFailure) {
  BlockParts parts = testing::random_parts({"mlp", "relu"});
  negate(parts, Role::up);
  const CheckResult got = live(parts, Vector::Ones(5), "live:as=warning");
  EXPECT_FALSE(got.pass);
  EXPECT_FALSE(got.fails());
}

}  // namespace
}  // namespace rezero
