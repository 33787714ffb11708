#include "rezero/model/block.h"

#include <gtest/gtest.h>

#include <functional>

#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::Biases;
using testing::normal;

/// z according to a block's formula, computed independently.
Vector branch_value(const BlockParts& parts, const Vector& x) {
  BlockParts bare = parts;
  bare.skip_scale = Scale::number(0), bare.branch_scale = Scale::number(1);
  bare.output_bias = Vector();
  bare.post_norm = {}, bare.post_activation = {};
  bare.mix = MixRule::additive;
  return ResidualBlock(bare).evaluate(x);
}

TEST(ResidualBlock, WiringByTheFormula) {
  for (Index positions : {1, 3}) {
    const Shape shape{5, positions};
    BlockParts parts = testing::random_parts({"mlp", "relu", shape, 7, Biases::present, 200});
    const Vector x = normal(shape.size(), 201), z = branch_value(parts, x);
    const Vector lambda = normal(5, 202), alpha = normal(5, 203), bias = normal(5, 204);
    const auto each = [&](const Vector& v) { return Vector(v.replicate(positions, 1)); };
    parts.skip_scale.values = lambda, parts.branch_scale.values = alpha, parts.output_bias = bias;
    const Vector sum = each(lambda).cwiseProduct(x) + each(alpha).cwiseProduct(z) + each(bias);
    EXPECT_LE(testing::relative_distance(ResidualBlock(parts).evaluate(x), sum), 1e-15);
    parts.post_activation = Activation("abs");
    EXPECT_LE(testing::relative_distance(ResidualBlock(parts).evaluate(x), sum.cwiseAbs()), 1e-15);
    parts.post_norm.kind = &norms().at("mean_subtraction");  // the norm comes before the activation
    const Vector centered = MeanSubtraction(shape).evaluate(sum).cwiseAbs();
    EXPECT_LE(testing::relative_distance(ResidualBlock(parts).evaluate(x), centered), 1e-14);
    parts.post_norm = {}, parts.post_activation = {};
    parts.mix = MixRule::gated;
    const Vector gated = x + each(alpha).cwiseProduct(z - x) + each(bias);
    EXPECT_LE(testing::relative_distance(ResidualBlock(parts).evaluate(x), gated), 1e-14);
  }
}

TEST(ResidualBlock, NormsOfTheBranch) {
  const Shape shape{5, 2};
  const NormSpec centering = NormSpec::of("mean_subtraction");
  const BlockParts base = testing::random_parts({"mlp", "relu", shape, 7, Biases::present, 210});
  const Vector x = normal(10, 211);
  const MeanSubtraction center(shape);
  BlockParts pre = base, after = base, act = base, both = base;
  pre.pre_norm = centering;
  EXPECT_LE(testing::relative_distance(branch_value(pre, x), branch_value(base, center.evaluate(x))), 1e-14);
  EXPECT_LE(testing::relative_distance(ResidualBlock(pre).evaluate(x), x + branch_value(pre, x)), 1e-14)
      << "the skip does not see the norm";
  after.branch_norm = centering;
  EXPECT_LE(testing::relative_distance(branch_value(after, x), center.evaluate(branch_value(base, x))),
            1e-14);
  act.branch_activation = Activation("abs");
  EXPECT_LE(testing::relative_distance(branch_value(act, x), branch_value(base, x).cwiseAbs()), 1e-14);
  both.branch_norm = centering, both.branch_activation = Activation("abs");
  EXPECT_LE(testing::relative_distance(branch_value(both, x), branch_value(after, x).cwiseAbs()), 1e-14);
}

/// The quantities for profiles and checks, for every block of the layer cases.
TEST(LawBlocks, PartsOfALinearization) {
  for (const testing::LayerCase& c : testing::layer_cases()) {
    const auto* block = dynamic_cast<const ResidualBlock*>(c.layer.get());
    if (!block) continue;
    SCOPED_TRACE(c.name);
    const BlockParts& parts = block->parts();
    const BlockLinearization at = block->linearize_block(c.point);
    EXPECT_LE(testing::relative_distance(at.branch_value, branch_value(parts, c.point)), 1e-14);

    // ∂x′/∂s: a number added to all of α.
    const Real h = 1e-5;
    const auto shifted = [&](Real s) {
      BlockParts moved = parts;
      moved.branch_scale.values.array() += s;
      return ResidualBlock(moved).evaluate(c.point);
    };
    const Vector slope = (shifted(h) - shifted(-h)) / (2 * h),
                 wide = (shifted(2 * h) - shifted(-2 * h)) / (4 * h);
    const Real allowed = (slope - wide).cwiseAbs().maxCoeff() + 1e-9 * (1 + slope.cwiseAbs().maxCoeff());
    EXPECT_LE((at.scale_tangent - slope).cwiseAbs().maxCoeff(), allowed);
    EXPECT_LE(allowed, 1e-6 * (1 + slope.cwiseAbs().maxCoeff()));

    // The last matrix: ∂x′/∂W = (last.to_output) (·last.input), against W moved in a random direction.
    const Role role = parts.branch->slots(testing::sizes_of(parts)).back().role;
    const Matrix& W = *parts.weights.at(role).weight;
    const Matrix direction = normal(W.rows(), W.cols(), 300);
    const auto moved_weight = [&](Real s) {
      BlockParts moved = parts;
      moved.weights[role].weight = testing::share(Matrix(W + s * direction));
      return ResidualBlock(moved).evaluate(c.point);
    };
    const Index positions = parts.output_shape().positions;
    Vector pushed(W.rows() * positions);
    for (Index t = 0; t < positions; ++t)
      pushed.segment(t * W.rows(), W.rows()) = direction * at.last.input.segment(t * W.cols(), W.cols());
    const Vector exact = testing::applied(*at.last.to_output, pushed);
    const Vector close = (moved_weight(h) - moved_weight(-h)) / (2 * h),
                 far = (moved_weight(2 * h) - moved_weight(-2 * h)) / (4 * h);
    const Real bound = (close - far).cwiseAbs().maxCoeff() + 1e-9 * (1 + exact.cwiseAbs().maxCoeff());
    EXPECT_LE((exact - close).cwiseAbs().maxCoeff(), bound);
    EXPECT_LE(bound, 1e-6 * (1 + exact.cwiseAbs().maxCoeff()));
  }
}

/// schemes.md 0.2, with ε = 0: a branch after a norm does not depend on the scale of x, so x itself passes
/// through the skip.
TEST(ResidualBlock, PreNormMapsItsInputToItself) {
  AttentionSpec heads;
  heads.heads = heads.kv_heads = 2;
  for (const char* branch : {"mlp", "glu", "attention"})
    for (const char* kind : {"layer_norm", "rms_norm", "l2_norm"})
      for (bool peri : {false, true}) {
        BlockParts parts = testing::random_parts({branch, "gelu", {6, 3}, 8, Biases::present, 230, heads});
        parts.pre_norm = NormSpec::of(kind, 0);
        if (peri) parts.branch_norm = parts.pre_norm;
        const Vector x = normal(18, 231);
        const Linearization at = ResidualBlock(parts).linearize(x);
        EXPECT_LE(testing::relative_distance(testing::applied(*at.derivative, x), x), 1e-14)
            << branch << kind;
        EXPECT_GT(testing::relative_distance(at.value, x), 0.1);
        Vector one = Vector::Zero(18);  // and each position's own part alone
        one.segment(6, 6) = x.segment(6, 6);
        EXPECT_LE((testing::applied(*at.derivative, one) - one).cwiseAbs().maxCoeff(), 1e-14)
            << branch << kind;
      }
}

/// A norm at the end with a homogeneous branch: the direction of x is lost, entirely at ε = 0.
TEST(ResidualBlock, PostNormKillsItsInput) {
  for (const char* kind : {"layer_norm", "rms_norm", "l2_norm"})
    for (const char* activation : {"relu", "abs"}) {
      BlockParts parts = testing::random_parts({"mlp", activation, {6, 3}, 8, Biases::absent, 240});
      parts.post_norm = NormSpec::of(kind, 0);
      const Vector x = normal(18, 241);
      const LinearMapPtr J = ResidualBlock(parts).linearize(x).derivative;
      EXPECT_LE(testing::applied(*J, x).cwiseAbs().maxCoeff(), 1e-14) << kind;
      EXPECT_GT(testing::applied(*J, normal(18, 242)).cwiseAbs().maxCoeff(), 0.1);
    }
}

TEST(ResidualBlock, IdentityBitForBit) {
  for (const BranchKind& kind : branches())
    for (MixRule mix : {MixRule::additive, MixRule::gated}) {
      BlockParts parts = testing::random_parts({kind.name.data(), "gelu", {5, 2}, 20, Biases::present, 220});
      parts.mix = mix;
      parts.branch_scale.values = Vector::Zero(mix == MixRule::gated ? 1 : 5);
      const ResidualBlock block(parts);
      const Vector x = normal(10, 221);
      EXPECT_EQ(block.evaluate(x), x) << kind.name;
      const BlockLinearization at = block.linearize_block(x);
      EXPECT_EQ(at.value, x) << kind.name;
      EXPECT_EQ(to_dense(*at.derivative), Matrix::Identity(10, 10)) << kind.name;
      EXPECT_GT(at.branch_value.norm(), 0) << "the branch was computed";
    }
}

TEST(ResidualBlock, WhatDoesNotFitIsRefused) {
  const BlockParts good = testing::random_parts({});
  const auto refused = [&](const std::function<void(BlockParts&)>& change) {
    BlockParts parts = good;
    change(parts);
    EXPECT_THROW(ResidualBlock{parts}, ShapeError);
  };
  refused([](BlockParts& p) { p.skip_scale.values = Vector::Ones(4); });
  refused([](BlockParts& p) { p.branch_scale.values = Vector(); });
  refused([](BlockParts& p) { p.output_bias = Vector::Ones(1); });
  refused([](BlockParts& p) { p.shape = {6, 1}; });
  refused([](BlockParts& p) { p.weights[Role::up].weight = testing::share(normal(7, 4, 1)); });
  refused([](BlockParts& p) { p.weights[Role::down].bias = testing::share(normal(4, 1)); });
}

}  // namespace
}  // namespace rezero
