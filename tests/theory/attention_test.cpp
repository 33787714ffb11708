#include "rezero/theory/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

/// T = 8, L = 8, α = 0.5, unit weights and independent tokens.
TEST(UniformAttention, Table) {
  UniformAttention stack;
  stack.tokens = 8;
  stack.strengths.assign(8, 0.25);
  stack.mean_square = 1.0 / 8;
  const std::vector<UniformAttentionState> states = uniform_attention(stack);
  EXPECT_NEAR(std::exp(states.back().log_m1), 1.6201, 5e-5);
  EXPECT_EQ(unit_share(stack), .8750);
  EXPECT_NEAR(std::exp(states.back().log_one_minus_cosine), .618, 1e-3);
  EXPECT_NEAR(states[0].log_one_minus_cosine, 0, 1e-15);
  EXPECT_NEAR(states[0].log_m1, 0, 1e-15);
  stack.tokens = 16, stack.mean_square = 1.0 / 16, stack.strengths.assign(16, 1);
  EXPECT_NEAR(std::exp(uniform_attention(stack).back().log_one_minus_cosine) / 2.4e-4, 1, 0.2);
}

TEST(UniformAttention, Deep) {
  UniformAttention stack;
  stack.tokens = 4;
  stack.mean_square = 0.25;
  stack.strengths.assign(4000, 1);
  const UniformAttentionState last = uniform_attention(stack).back();
  EXPECT_NEAR(last.log_m1, 4000 * std::log(2.0) - std::log(4.0), 1e-9);
  EXPECT_NEAR(last.log_one_minus_cosine, -4000 * std::log(2.0) + std::log(4.0), 1e-9);
}

TEST(UniformAttention, RefusesNonsense) {
  UniformAttention stack;
  stack.mean_square = 2;
  EXPECT_THROW(uniform_attention(stack), UsageError);
  stack.mean_square = 0.5, stack.strengths = {-1};
  EXPECT_THROW(uniform_attention(stack), UsageError);
  stack.tokens = 0;
  EXPECT_THROW(uniform_attention(stack), UsageError);
}

}  // namespace
}  // namespace rezero::theory
