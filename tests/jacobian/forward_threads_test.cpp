/// Thread-count invariance: blocks are drawn ahead of the products, and numbers in parts.

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "rezero/core/error.h"
#include "rezero/jacobian/forward.h"
#include "support/layer_laws.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::same_bytes;
using testing::StackText;

struct Visit {
  Index depth;
  ScaledVector state;
  ScaledMatrix jacobian;
  Underflow underflow;
};

struct Walked {
  std::vector<Visit> visits;
  std::vector<Index> blocks;
  std::string error;
};

Walked walked(const Stack& stack, const std::vector<Index>& depths, int workers) {
  Walked seen;
  ForwardOptions options;
  options.workers = workers;
  options.on_block = [&](const BlockStep& step) { seen.blocks.push_back(step.block); };
  const Index n = stack.shape().size();
  try {
    forward_jacobian(
        stack, stack.input(), Matrix::Identity(n, n), depths,
        [&](const ForwardStep& step) {
          seen.visits.push_back({step.blocks, step.state, step.jacobian, step.underflow});
        },
        options);
  } catch (const std::exception& error) {
    seen.error = error.what();
  }
  return seen;
}

void expect_same_for_all_threads(const Stack& stack, const std::vector<Index>& depths,
                                 const std::string& what) {
  const Walked one = walked(stack, depths, 1);
  for (int workers : {2, 3, 8}) {
    const Walked many = walked(stack, depths, workers);
    EXPECT_EQ(one.error, many.error) << what << ", " << workers;
    EXPECT_EQ(one.blocks, many.blocks) << what << ", " << workers;
    ASSERT_EQ(one.visits.size(), many.visits.size()) << what << ", " << workers;
    for (std::size_t i = 0; i < one.visits.size(); ++i) {
      const Visit &a = one.visits[i], &b = many.visits[i];
      EXPECT_EQ(a.depth, b.depth);
      EXPECT_EQ(a.underflow, b.underflow) << what << ", " << workers;
      EXPECT_TRUE(a.state.exponent == b.state.exponent && same_bytes(a.state.mantissa, b.state.mantissa))
          << what << ", " << workers;
      EXPECT_TRUE(a.jacobian.exponent == b.jacobian.exponent &&
                  same_bytes(a.jacobian.mantissa, b.jacobian.mantissa))
          << what << ", " << workers;
    }
  }
}

/// Blocks of every cost: drawn one by one in parts, or ahead in batches that are cut at depths.
TEST(LawForwardThreads, DepthsAndCosts) {
  for (Index n : {8, 48, 90, 200}) {
    const StackPtr stack = testing::stack({"fixed:alpha=0.3", "mlp", n, "tanh", "lecun", 1}, 3, 14);
    expect_same_for_all_threads(*stack, {1, 3, 4, 9, 9, 13}, "mlp " + std::to_string(n));
  }
}

/// Attention's products deserve several threads where those of the feed-forward branch do not.
TEST(LawForwardThreads, KindsOfBlocksThatDifferInCost) {
  StackText text{"pre-ln", "transformer", 16, "gelu", "xavier", 4};
  text.tokens.tokens = 16;
  text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
  const StackPtr stack = testing::stack(text, 5, 6);
  expect_same_for_all_threads(*stack, {2, 5, 12}, "transformer");
}

/// Weights of 400,000 numbers and vectors multiplied in parts, into the subnormals, by any thread.
TEST(LawForwardThreads, UnderflowOfParts) {
  const Index n = 640;
  std::vector<BlockParts> blocks;
  const StackPtr drawn = testing::stack({"fixed:alpha=1", "mlp", n, "identity", "lecun", 1}, 3, 2);
  for (Index l = 0; l < 2; ++l) {
    BlockParts parts = drawn->block(l)->parts();
    for (auto& [role, pair] : parts.weights) pair.weight = std::make_shared<Matrix>(*pair.weight * 1e-160);
    blocks.push_back(std::move(parts));
  }
  const StackPtr stack = make_stack(std::move(blocks), drawn->input());
  const Walked one = walked(*stack, {1}, 1);
  ASSERT_EQ(one.visits.size(), 1u) << one.error;
  EXPECT_NE(one.visits[0].underflow, Underflow::none);
  expect_same_for_all_threads(*stack, {1, 2}, "underflow");
}

/// The blocks of another stack, some of which cannot be drawn.
class Broken final : public Stack {
 public:
  Broken(StackPtr stack, Index from, Index spoilt) : stack_(std::move(stack)), from_(from), spoilt_(spoilt) {}
  Index blocks() const override { return stack_->blocks(); }
  const Geometry& geometry() const override { return stack_->geometry(); }
  Vector input() const override { return stack_->input(); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }
  BlockPtr block(Index l) const override {
    if (l >= from_) throw std::runtime_error("no block " + std::to_string(l));
    BlockParts parts = stack_->block(l)->parts();
    if (l == spoilt_) parts.branch_scale.values = Vector::Constant(1, std::numeric_limits<Real>::infinity());
    return std::make_shared<ResidualBlock>(std::move(parts));
  }

 private:
  StackPtr stack_;
  Index from_, spoilt_;
};

/// Visits before the block that cannot be drawn are valid, and the error is that of the first such block.
TEST(LawForwardThreads, TheFirstBlocksErrorAfterTheVisitsBeforeIt) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.3", "mlp", 48, "tanh", "lecun", 1}, 3, 14);
  for (Index from : {0, 1, 2, 5, 6, 7, 13})
    for (Index spoilt : {-1, 3, 5}) {
      const Broken broken(stack, from, spoilt);
      const Walked one = walked(broken, {1, 2, 4, 6, 14}, 1);
      EXPECT_EQ(one.blocks.size(), static_cast<std::size_t>(spoilt >= 0 && spoilt < from ? spoilt : from));
      expect_same_for_all_threads(broken, {1, 2, 4, 6, 14}, "from " + std::to_string(from));
    }
}

/// Another stack's blocks, counted while they live.
class Counted final : public Stack {
 public:
  explicit Counted(StackPtr stack) : stack_(std::move(stack)) {}
  Index blocks() const override { return stack_->blocks(); }
  const Geometry& geometry() const override { return stack_->geometry(); }
  Vector input() const override { return stack_->input(); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }
  BlockPtr block(Index l) const override {
    const int now = ++alive_;
    for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
    }
    const BlockPtr block = stack_->block(l);
    return {block.get(), [this, block](const Block*) { --alive_; }};
  }
  int most() const { return most_; }

 private:
  StackPtr stack_;
  mutable std::atomic<int> alive_{0}, most_{0};
};

/// The derivative of a wide branch is cheap once it is a single matrix; its weights are not.
TEST(ForwardThreads, NoBlocksOfManyWeightsAhead) {
  for (const Real ratio : {1.0, 40.0}) {
    const Counted stack(testing::stack({"fixed:alpha=0.3", "mlp", 48, "relu", "he", ratio}, 3, 20));
    walked(stack, {20}, 2);
    if (ratio == 1)
      EXPECT_LE(stack.most(), 9);
    else
      EXPECT_EQ(stack.most(), 1);
  }
}

}  // namespace
}  // namespace rezero
