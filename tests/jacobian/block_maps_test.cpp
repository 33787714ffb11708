#include "rezero/jacobian/block_maps.h"

#include <gtest/gtest.h>

#include <limits>

#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/layer_laws.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::last_step;
using testing::normal;
using testing::relative_distance;
using testing::same_bytes;
using testing::StackText;

StackPtr tokens_stack(const char* scheme = "pre-ln", Index layers = 3) {
  StackText text{scheme, "transformer", 8, "gelu", "he", 4};
  text.tokens.tokens = 5, text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
  return testing::stack(text, 3, layers);
}

/// The map's matrix, in units of the other's exponent.
Matrix in_units_of(const ScaledMap& J, std::int64_t exponent) {
  const auto shift = static_cast<int>(J.exponent - exponent);
  return to_dense(*J.map) * std::ldexp(1.0, shift);
}

TEST(LawBlockMaps, JacobianIsThatOfTheForwardPass) {
  for (const StackPtr& stack : {testing::stack({"residual", "mlp", 12, "relu", "he", 3.0}, 5, 6),
                                testing::stack({"post-ln", "mlp", 9, "tanh"}, 5, 4), tokens_stack()}) {
    const BlockMaps maps(stack, stack->input(), stack->blocks());
    const testing::KeptStep step = last_step(*stack);
    const ScaledMap J = maps.jacobian(stack->blocks());
    EXPECT_LE(relative_distance(in_units_of(J, step.jacobian.exponent), step.jacobian.mantissa), 1e-13);
    EXPECT_EQ(maps.state(stack->blocks()).mantissa, step.state.mantissa);
    EXPECT_EQ(maps.state(stack->blocks()).exponent, step.state.exponent);
    EXPECT_EQ(maps.underflow(), Underflow::none);
  }
}

TEST(LawBlockMaps, TransposeAndColumns) {
  const StackPtr stack = tokens_stack();
  const Index n = stack->shape().size();
  const BlockMaps maps(stack, stack->input(), stack->blocks());
  const LinearMapPtr J = maps.jacobian(4).map;
  const Matrix v = testing::normal(3 * n, 1).reshaped(n, 3), u = testing::normal(3 * n, 2).reshaped(n, 3);
  Matrix Jv(n, 3), Jtu(n, 3), one(n, 1);
  J->apply(v, Jv), J->apply_transpose(u, Jtu);
  EXPECT_LE((u.transpose() * Jv - Jtu.transpose() * v).cwiseAbs().maxCoeff(), 1e-13 * Jv.norm() * u.norm());
  for (Index j = 0; j < 3; ++j) {
    J->apply(v.col(j), one);
    EXPECT_TRUE(same_bytes(one, Matrix(Jv.col(j))));
  }
}

TEST(LawBlockMaps, KeptOrMadeAnewIsTheSame) {
  const StackPtr stack = tokens_stack();
  const Index n = stack->shape().size();
  const Matrix v = testing::normal(n, 1);
  const auto image = [&](Index kept) {
    BlockMapsOptions options;
    options.kept_blocks = kept;
    Matrix out(n, 1);
    BlockMaps(stack, stack->input(), stack->blocks(), options).jacobian(stack->blocks()).map->apply(v, out);
    return out;
  };
  EXPECT_TRUE(same_bytes(image(0), image(stack->blocks())));
  EXPECT_TRUE(same_bytes(image(0), image(2)));
}

TEST(BlockMaps, FactorsMultiplyToTheJacobian) {
  const StackPtr stack = testing::stack({"residual", "mlp", 6, "tanh"}, 5, 4);
  const BlockMaps maps(stack, stack->input(), 4);
  Matrix product = Matrix::Identity(6, 6);
  for (Index l = 0; l < 4; ++l) product = to_dense(*maps.at(l)) * product;
  EXPECT_LE(relative_distance(in_units_of(maps.jacobian(4), 0), product), 1e-14);
  EXPECT_GT(maps.flops_per_column(4), 4 * 2 * 36);
}

/// 1600 unscaled he blocks grow by 2^1300 and more, far beyond double, without any effect on the map.
TEST(BlockMaps, JacobiansBeyondTheRangeOfDouble) {
  for (const char* scheme : {"residual", "normalized-sum"}) {
    const Index depth = 2000;
    const StackPtr stack = testing::stack({scheme, "mlp", 6, "relu"}, 5, depth);
    const BlockMaps maps(stack, stack->input(), depth);
    const testing::KeptStep step = last_step(*stack);
    const ScaledMap J = maps.jacobian(depth);
    if (std::string(scheme) == "residual") {
      EXPECT_GT(J.exponent, 1100);
    }
    EXPECT_LE(std::abs(J.exponent - step.jacobian.exponent), 8);
    EXPECT_LE(relative_distance(in_units_of(J, step.jacobian.exponent), step.jacobian.mantissa), 1e-11);
    Matrix back(6, 6);
    J.map->apply_transpose(Matrix::Identity(6, 6), back);
    EXPECT_LE(relative_distance(Matrix(back.transpose()), to_dense(*J.map)), 1e-11);
  }
}

/// A wide range inside the stack: the prefix grows where a random vector does, the suffix alone would
/// overflow.
TEST(BlockMaps, VectorsInTheMiddleHaveExponentsOfTheirOwn) {
  std::vector<BlockParts> parts;
  for (Index l = 0; l < 8; ++l) {
    BlockParts block = testing::random_parts({"linear", "identity", {4, 1}, 4, testing::Biases::absent, 10});
    block.branch_scale = Scale::number(0);
    block.skip_scale = Scale::number(std::ldexp(1.0, l < 4 ? -400 : 400));
    parts.push_back(block);
  }
  const StackPtr stack = make_stack(parts, normal(4, 1));
  const BlockMaps maps(stack, stack->input(), 8);
  const ScaledMap J = maps.jacobian(8);
  Matrix out(4, 4), back(4, 4);
  J.map->apply(Matrix::Identity(4, 4), out);
  J.map->apply_transpose(Matrix::Identity(4, 4), back);
  EXPECT_EQ(in_units_of(J, 0), Matrix::Identity(4, 4));
  EXPECT_EQ(out, back);
}

TEST(BlockMaps, WhatIsNotFiniteIsRefusedByName) {
  BlockParts good = testing::random_parts({"linear", "identity", {4, 1}, 4, testing::Biases::absent, 10});
  BlockParts bad = good;
  bad.skip_scale = Scale::number(std::numeric_limits<Real>::max());
  const StackPtr stack = make_stack({good, bad, bad}, normal(4, 1));
  try {
    const BlockMaps maps(stack, stack->input(), 3);
    FAIL() << "no error";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("block "), std::string::npos) << error.what();
  }
}

TEST(BlockMaps, CheckpointIsAskedAndMayStop) {
  const StackPtr stack = tokens_stack();
  Index calls = 0, limit = 1000;
  BlockMapsOptions options;
  options.checkpoint = [&] {
    if (++calls > limit) throw Cancelled();
  };
  const BlockMaps maps(stack, stack->input(), stack->blocks(), options);
  const Index after_pass = calls;
  EXPECT_EQ(after_pass, stack->blocks());
  limit = calls + 2;
  Matrix v = testing::normal(stack->shape().size(), 1), out = v;
  EXPECT_THROW(maps.jacobian(stack->blocks()).map->apply(v, out), Cancelled);
}

}  // namespace
}  // namespace rezero
