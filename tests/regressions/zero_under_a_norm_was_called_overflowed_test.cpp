/// A norm without eps has no value at zero. Only l2 norms before and after the branch were checked for this;
/// the others, and eps 0, were reported as "overflowed", and Admin's profile took the NaN for a number.

#include <gtest/gtest.h>

#include <functional>

#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using Change = std::function<void(BlockParts&)>;

std::string failure(const testing::PartsSpec& spec, const Change& change, const Vector& input) {
  BlockParts parts = testing::random_parts(spec);
  change(parts);
  const CellResult got = run_stack(make_stack({parts}, input), {1});
  return got.failures.empty() ? "" : got.failures[0].message;
}

TEST(ZeroUnderANorm, IsNamedWhereverTheNormStands) {
  const NormSpec l2 = NormSpec::of("l2_norm"), layer = NormSpec::of("layer_norm", 0);
  const std::string branch = "block 0: the branch output is not finite (it overflowed, or its ",
                    end = " divided zero by zero)";
  const testing::PartsSpec mlp{"mlp", "relu", {4, 3}};
  testing::PartsSpec attention{"attention", "identity", {4, 3}}, conv{"conv", "relu", {4, 3}};
  const Vector zero = Vector::Zero(12);
  EXPECT_EQ(failure(
                mlp, [&](BlockParts& p) { p.pre_norm = l2; }, zero),
            branch + "l2_norm" + end);
  EXPECT_EQ(failure(
                mlp, [&](BlockParts& p) { p.pre_norm = layer; }, zero),
            branch + "layer_norm with eps 0" + end);
  EXPECT_EQ(failure(
                mlp, [&](BlockParts& p) { p.inner_norm = l2; }, zero),
            branch + "l2_norm" + end);
  EXPECT_EQ(failure(
                mlp, [&](BlockParts& p) { p.branch_norm = l2; }, zero),
            branch + "l2_norm" + end);
  EXPECT_EQ(failure(
                attention, [&](BlockParts& p) { p.attention.qk_norm = l2; }, zero),
            branch + "l2_norm" + end);
  EXPECT_EQ(failure(
                conv, [&](BlockParts& p) { p.conv.norms.assign(2, NormSpec::of("batch_norm", 0)); }, zero),
            branch + "batch_norm with eps 0" + end);
  EXPECT_EQ(failure(
                mlp, [&](BlockParts& p) { p.post_norm = l2; }, zero),
            "block 0: the state is not finite (it overflowed, or its l2_norm divided zero by zero)");
}

TEST(ZeroUnderANorm, IsNotBlamedOnNormsThatAreDefinedThere) {
  const testing::PartsSpec mlp{"mlp", "relu", {4, 1}};
  const auto failed = failure(
      mlp,
      [](BlockParts& p) {
        p.branch_norm = NormSpec::of("rms_norm");
        p.attention.qk_norm = NormSpec::of("l2_norm");  // of no attention
        p.weights[Role::up].weight = testing::share(Matrix(Matrix::Constant(7, 4, 1e308)));
      },
      Vector::Constant(4, 1e300));
  EXPECT_EQ(failed, "block 0: the branch output is not finite (it overflowed)");
}

TEST(ZeroUnderANorm, ProfileOfAdminSaysSo) {
  testing::StackText text{"admin", "conv", 4, "relu", "gaussian:sigma_w=0"};
  text.conv.image = {2, 2};
  text.conv.norm = NormSpec::of("l2_norm");
  try {
    testing::stack(text, 0, 2);
    FAIL() << "the branch has no value";
  } catch (const NumericalError& error) {
    EXPECT_STREQ(error.what(),
                 "block 0: the branch output is not finite (it overflowed, or its l2_norm divided zero by "
                 "zero)");
  }
}

}  // namespace
}  // namespace rezero
