#include "rezero/model/stack.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::same_bytes;
using testing::StackText;

void expect_same_weights(const ResidualBlock& a, const ResidualBlock& b) {
  ASSERT_EQ(a.parts().weights.size(), b.parts().weights.size());
  for (const auto& [role, pair] : a.parts().weights) {
    const WeightPair& other = b.parts().weights.at(role);
    EXPECT_TRUE(same_bytes(*pair.weight, *other.weight)) << role_name(role);
    ASSERT_EQ(pair.bias == nullptr, other.bias == nullptr);
    if (pair.bias) {
      EXPECT_TRUE(same_bytes(*pair.bias, *other.bias)) << role_name(role);
    }
  }
}

const char* const families[] = {"linear", "dense", "preactivation", "mlp", "glu"};

/// Block 3 of seed 7 is made of the same draws whatever the depth, the order of use and the scheme.
TEST(LawStacks, WeightsAreAddressed) {
  for (const char* family : families)
    for (const char* init : {"he", "torch-default", "orthogonal"}) {
      SCOPED_TRACE(std::string(family) + " " + init);
      const StackText text{"residual", family, 10, "relu", init, 1.5};
      const StackPtr shallow = testing::stack(text, 7, 10), deep = testing::stack(text, 7, 1000);
      const BlockPtr last = deep->block(9), third = deep->block(3);
      for (Index l = 0; l < 10; ++l) expect_same_weights(*shallow->block(l), *deep->block(l));
      expect_same_weights(*last, *shallow->block(9));
      expect_same_weights(*third, *shallow->block(3));
      EXPECT_FALSE(same_bytes(*third->parts().weights.begin()->second.weight,
                              *last->parts().weights.begin()->second.weight));
      const StackPtr other = testing::stack(text, 8, 10);
      EXPECT_FALSE(same_bytes(*third->parts().weights.begin()->second.weight,
                              *other->block(3)->parts().weights.begin()->second.weight));
    }
}

/// Common random numbers: up to the scheme's gains, every scheme starts from the same draws.
TEST(LawStacks, EverySchemeHasTheSameDraws) {
  for (const char* family : families) {
    StackText text{"residual", family, 8, "relu", "torch-default"};
    const BlockPtr base = testing::stack(text, 7, 16)->block(3);
    for (const Scheme& scheme : schemes()) {
      SCOPED_TRACE(std::string(scheme.name) + " " + family);
      text.scheme = scheme.name;
      const StackSpec spec = testing::stack_spec(text);
      const SchemeContext at{3, 16, spec.family, &spec.scheme.params(), spec.family->slots(8, 8)};
      const BlockPlan plan = scheme.plan(at);
      const BlockPtr block = testing::stack(text, 7, 16)->block(3);
      for (const auto& [role, pair] : block->parts().weights) {
        const WeightPair& raw = base->parts().weights.at(role);
        EXPECT_EQ(*pair.weight, Matrix(*raw.weight * plan.gain(role).weight)) << role_name(role);
        EXPECT_EQ(*pair.bias, Vector(*raw.bias * plan.gain(role).bias)) << role_name(role);
      }
    }
  }
}

TEST(LawStacks, APrefixIsTheShallowerStack) {
  for (const Scheme& scheme : schemes()) {
    StackText text{std::string(scheme.name), "mlp", 8, "tanh", "torch-default"};
    const StackPtr shallow = testing::stack(text, 3, 5), deep = testing::stack(text, 3, 20);
    if (testing::stack_spec(text).scheme.depends_on_depth()) continue;
    SCOPED_TRACE(scheme.name);
    for (Index l = 0; l < 5; ++l) {
      expect_same_weights(*shallow->block(l), *deep->block(l));
      const BlockPtr left = shallow->block(l), right = deep->block(l);
      const BlockParts &a = left->parts(), &b = right->parts();
      EXPECT_EQ(a.skip_scale.values, b.skip_scale.values);
      EXPECT_EQ(a.branch_scale.values, b.branch_scale.values);
    }
    const testing::KeptStep whole = testing::last_step(*shallow);
    const testing::KeptStep prefix = testing::steps(*deep, Matrix::Identity(8, 8), {5, 20}).front();
    EXPECT_TRUE(same_bytes(whole.jacobian.mantissa, prefix.jacobian.mantissa));
    EXPECT_EQ(whole.jacobian.exponent, prefix.jacobian.exponent);
    EXPECT_TRUE(same_bytes(whole.state.mantissa, prefix.state.mantissa));
  }
}

/// A scheme that says it depends on the depth does: at some depth some block differs.
TEST(LawStacks, DependenceOnDepthIsReal) {
  for (const Scheme& scheme : schemes()) {
    StackText text{std::string(scheme.name), "mlp", 4, "relu", "he"};
    if (!testing::stack_spec(text).scheme.depends_on_depth()) continue;
    const BlockPtr a = testing::stack(text, 3, 5)->block(2), b = testing::stack(text, 3, 20)->block(2);
    bool differs = a->parts().branch_scale.values != b->parts().branch_scale.values;
    for (const auto& [role, pair] : a->parts().weights)
      differs = differs || *pair.weight != *b->parts().weights.at(role).weight;
    EXPECT_TRUE(differs) << scheme.name;
  }
}

TEST(Stack, TiedWeightsAreEqualInAllBlocks) {
  for (const char* family : families) {
    StackSpec spec = testing::stack_spec({"residual", family, 8, "relu", "torch-default"});
    const StackPtr untied = build_stack(spec, 7, 20);
    spec.tied = true;
    const StackPtr tied = build_stack(spec, 7, 20);
    for (Index l : {0, 1, 5, 19}) expect_same_weights(*tied->block(l), *untied->block(0));
  }
}

TEST(Stack, HomogeneityIsThatOfItsBlocks) {
  for (const char* family : families)
    for (const char* phi : {"relu", "abs", "identity", "tanh", "relu_squared"})
      for (const char* init : {"he", "torch-default", "gaussian", "gaussian:sigma_b=0.1"})
        for (const char* scheme : {"residual", "depth-mup", "gated:a=0.3"}) {
          const StackPtr stack = testing::stack({scheme, family, 6, phi, init}, 1, 3);
          EXPECT_EQ(stack->positively_homogeneous(), stack->block(1)->positively_homogeneous())
              << family << ' ' << phi << ' ' << init << ' ' << scheme;
        }
}

TEST(Stack, BlockIndexMustExist) {
  const StackPtr stack = testing::stack({}, 1, 3);
  EXPECT_THROW(stack->block(3), std::logic_error);
  EXPECT_THROW(stack->block(-1), std::logic_error);
}

TEST(Stack, GivenBlocks) {
  const BlockParts parts = testing::random_parts({});
  const StackPtr stack = make_stack({parts, parts}, testing::normal(5, 1));
  EXPECT_EQ(stack->blocks(), 2);
  EXPECT_EQ(stack->shape(), (Shape{5, 1}));
  EXPECT_TRUE(stack->positively_homogeneous());
  EXPECT_THROW(make_stack({}, testing::normal(5, 1)), ShapeError);
  EXPECT_THROW(make_stack({parts}, testing::normal(4, 1)), ShapeError);
  const BlockParts wide = testing::random_parts({"mlp", "relu", {6, 1}});
  EXPECT_THROW(make_stack({parts, wide}, testing::normal(5, 1)), ShapeError);
  BlockParts shifted = parts;
  shifted.output_bias = Vector::Ones(5);
  EXPECT_FALSE(make_stack({parts, shifted}, testing::normal(5, 1))->positively_homogeneous());
}

TEST(DrawInput, Laws) {
  const Shape shape{6, 3};
  EXPECT_EQ(draw_input({InputLaw::ones}, shape, 1), Vector::Ones(18));
  const Vector x = draw_input({InputLaw::normal}, shape, 1), s = draw_input({InputLaw::sphere}, shape, 1);
  EXPECT_TRUE(same_bytes(x, draw_input({}, shape, 1)));
  EXPECT_FALSE(same_bytes(x, draw_input({}, shape, 2)));
  for (Index t = 0; t < 3; ++t) {
    EXPECT_NEAR(s.segment(6 * t, 6).norm(), std::sqrt(6.0), 1e-14);
    EXPECT_NEAR(s.segment(6 * t, 6).normalized().dot(x.segment(6 * t, 6).normalized()), 1, 1e-14);
  }
  EXPECT_EQ(draw_input({InputLaw::values, x}, shape, 9), x);
  EXPECT_THROW(draw_input({InputLaw::values, x}, {6, 2}, 9), ShapeError);
}

TEST(BlockWeightBytes, CountsAllWeights) {
  EXPECT_EQ(block_weight_bytes(testing::stack_spec({"residual", "mlp", 10, "relu", "he", 4})), 8 * 800);
  EXPECT_EQ(block_weight_bytes(testing::stack_spec({"residual", "glu", 10, "relu", "he", 2})), 8 * 600);
  EXPECT_EQ(block_weight_bytes(testing::stack_spec({"residual", "dense", 10})), 8 * 100);
}

TEST(StackSpec, HiddenWidth) {
  EXPECT_EQ(testing::stack_spec({"residual", "mlp", 10, "relu", "he", 4}).hidden(), 40);
  EXPECT_EQ(testing::stack_spec({"residual", "mlp", 10, "relu", "he", 0.25}).hidden(), 3);
  EXPECT_EQ(testing::stack_spec({"residual", "mlp", 10, "relu", "he", 0.001}).hidden(), 1);
}

}  // namespace
}  // namespace rezero
