/// A zero caused by underflow was published as a proved zero of J, and a spectrum stayed certified although
/// entries were lost in the products.

#include <gtest/gtest.h>

#include "rezero/analysis/observe.h"
#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

DepthResult last_depth(const StackPtr& stack) {
  const CellResult result = run_stack(stack, {stack->blocks() / stack->blocks_per_layer()});
  EXPECT_TRUE(result.failures.empty());
  return result.depths.at(0);
}

TEST(UnderflowIsNoProofOfZero, DerivativeFarOutInATail) {
  // sigmoid' at arguments near −1000 is e^−1000: below double, but not zero.
  testing::StackText text{"plain", "dense", 6};
  text.activation = "sigmoid";
  text.init = "gaussian:sigma_w=1000";
  const DepthResult got = last_depth(testing::stack(text, 1, 1));
  EXPECT_EQ(got.spectrum.null_directions, 0);
  EXPECT_GT(got.spectrum.unresolved(), 0);
}

/// Blocks x ← s ⊙ x without a branch.
BlockParts scaling(Real last) {
  BlockParts parts;
  parts.shape = {4, 1};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {std::make_shared<Matrix>(Matrix::Zero(4, 4)), nullptr};
  parts.skip_scale.values = Vector::Ones(4);
  parts.skip_scale.values(3) = last;
  return parts;
}

TEST(UnderflowIsNoProofOfZero, EntriesLostInTheProducts) {
  std::vector<BlockParts> blocks(100, scaling(1e-10));
  blocks.insert(blocks.end(), 100, scaling(1e10));
  const DepthResult got = last_depth(make_stack(std::move(blocks), Vector::Ones(4)));
  EXPECT_FALSE(got.spectrum.accuracy.certified);
  EXPECT_EQ(got.spectrum.null_directions, 0);
}

/// sech²-like slopes at the limit of double: e^−739 is a subnormal, and so is its product with weights of
/// 1e-161.
TEST(UnderflowIsNoProofOfZero, DerivativesThatAreSubnormal) {
  testing::StackText tail{"plain", "dense", 1};
  tail.activation = "silu", tail.init = "gaussian:sigma_w=0";
  BlockParts parts = testing::stack(tail, 1, 1)->block(0)->parts();
  parts.weights.begin()->second.weight = std::make_shared<Matrix>(Matrix::Ones(1, 1));
  EXPECT_FALSE(last_depth(make_stack({parts}, Vector::Constant(1, -739.84))).spectrum.accuracy.certified);

  testing::StackText small{"plain", "mlp", 1};
  small.activation = "tanh", small.init = "gaussian:sigma_w=1e-161";
  const StackPtr stack = testing::stack(small, 0, 1);
  for (const char* method : {"dense", "product"}) {
    AnalysisOptions options;
    options.method = method;
    const CellResult result = run_stack(stack, {1}, options);
    ASSERT_EQ(result.depths.size(), 1u) << method;
    EXPECT_FALSE(result.depths[0].spectrum.accuracy.certified) << method;
  }
}

/// tanh′(1e308) and erf′(1e160): the argument of the exponential overflows, which gives a clean 0.
TEST(UnderflowIsNoProofOfZero, SlopesWhoseExponentOverflows) {
  for (const auto& [phi, x] : {std::pair<const char*, Real>{"tanh", 1e308}, {"erf", 1e160}}) {
    BlockParts parts = testing::stack({"plain", "dense", 2, phi}, 1, 1)->block(0)->parts();
    parts.weights.begin()->second.weight = std::make_shared<Matrix>(Matrix::Identity(2, 2));
    Vector input(2);
    input << x, 1;
    const DepthResult got = last_depth(make_stack({parts}, input));
    EXPECT_EQ(got.spectrum.null_directions, 0) << phi;
    EXPECT_EQ(got.spectrum.unresolved(), 1) << phi;
  }
}

TEST(UnderflowIsNoProofOfZero, ProvedZerosStay) {
  // Dead units of a relu layer are exact zeros: nothing underflows.
  const DepthResult got = last_depth(testing::stack({"plain", "dense", 16}, 1, 1));
  EXPECT_TRUE(got.spectrum.accuracy.certified);
  EXPECT_GT(got.spectrum.null_directions, 0);
}

}  // namespace
}  // namespace rezero
