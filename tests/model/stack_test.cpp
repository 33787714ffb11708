#include "rezero/model/stack.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/linalg/standardize.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::same_bytes;
using testing::StackText;

void expect_same_weights(const Block& a, const Block& b) {
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

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.emplace_back(family.name);
  return names;
}

/// A stack of two heads over three tokens, where the family has tokens; over small images, where it has
/// those.
StackText text_of(const std::string& scheme, const std::string& family, Index width, const char* activation,
                  const char* init, Real hidden_ratio = 1) {
  StackText text{scheme, family, width, activation, init, hidden_ratio};
  if (families().at(family).has_tokens()) {
    text.tokens.tokens = 3;
    text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
  }
  text.conv.image = {3, 2, 1};
  return text;
}

/// Block 3 of seed 7 has the same draws for every depth, order of use and scheme.
TEST(LawStacks, WeightsAreAddressed) {
  for (const std::string& family : family_names())
    for (const char* init : {"he", "torch-default", "orthogonal"}) {
      SCOPED_TRACE(family + " " + init);
      const StackText text = text_of("residual", family, 10, "relu", init, 1.5);
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
  for (const std::string& family : family_names()) {
    StackText text = text_of("residual", family, 8, "relu", "torch-default");
    const StackPtr base_stack = testing::stack(text, 7, 16);
    const BlockPtr base = base_stack->block(3);
    for (const Scheme& scheme : schemes()) {
      SCOPED_TRACE(std::string(scheme.name) + " " + family);
      text.scheme = scheme.name;
      if (scheme.needs_convolutions && !families().at(family).has_images()) {
        EXPECT_THROW(testing::stack(text, 7, 16), UsageError);
        continue;
      }
      const StackSpec spec = testing::stack_spec(text);
      const Index per_layer = base_stack->blocks_per_layer();
      const std::vector<BlockProfile> profile(16, {ScaledReal::make(1), ScaledReal::make(1)});
      const std::vector<const BranchKind*> kinds = spec.family->branches();
      const BlockPlan plan = scheme.plan(testing::scheme_context(
          spec.scheme, {3, 16 * per_layer, kinds[static_cast<std::size_t>(3 % per_layer)]->name.data(),
                        per_layer, spec.geometry()->sizes(3), &profile}));
      if (plan.inner_norm && !kinds[static_cast<std::size_t>(3 % per_layer)]->has_inner_norm) {
        EXPECT_THROW(testing::stack(text, 7, 16)->block(3), UsageError);  // no place for it in this branch
        continue;
      }
      const BlockPtr block = testing::stack(text, 7, 16)->block(3);
      for (const auto& [role, pair] : block->parts().weights) {
        const WeightPair& raw = base->parts().weights.at(role);
        Matrix draw = *raw.weight;
        if (plan.gain(role).unit == UnitNorm::rows) draw.rowwise().normalize();
        if (plan.gain(role).unit == UnitNorm::columns) draw.colwise().normalize();
        if (plan.gain(role).unit == UnitNorm::centered_rows) standardize_rows(draw);
        EXPECT_EQ(*pair.weight, Matrix(draw * plan.gain(role).weight)) << role_name(role);
        EXPECT_EQ(*pair.bias, Vector(*raw.bias * plan.gain(role).bias)) << role_name(role);
      }
    }
  }
}

TEST(LawStacks, APrefixIsTheShallowerStack) {
  for (const Scheme& scheme : schemes()) {
    if (scheme.needs_convolutions) continue;
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

/// A scheme that claims to depend on the depth does: at some depth some block differs.
TEST(LawStacks, DependenceOnDepthIsReal) {
  for (const Scheme& scheme : schemes()) {
    StackText text{std::string(scheme.name), "mlp", 4, "relu", "he"};
    if (!testing::stack_spec(text).scheme.depends_on_depth()) continue;
    const BlockPtr a = testing::stack(text, 3, 5)->block(2), b = testing::stack(text, 3, 20)->block(2);
    bool differs = a->parts().branch_scale.values != b->parts().branch_scale.values ||
                   a->parts().skip_scale.values != b->parts().skip_scale.values ||
                   a->parts().pre_norm.kind != b->parts().pre_norm.kind;
    for (const auto& [role, pair] : a->parts().weights)
      differs = differs || *pair.weight != *b->parts().weights.at(role).weight;
    EXPECT_TRUE(differs) << scheme.name;
  }
}

TEST(Stack, TiedWeightsAreEqualInAllBlocks) {
  for (const std::string& family : family_names()) {
    StackSpec spec = testing::stack_spec(text_of("residual", family, 8, "relu", "torch-default"));
    const StackPtr untied = build_stack(spec, 7, 20);
    spec.tied = true;
    const StackPtr tied = build_stack(spec, 7, 20);
    for (Index l : {0, 1, 5, 19})
      expect_same_weights(*tied->block(l), *untied->block(l % tied->blocks_per_layer()));
  }
}

TEST(Stack, HomogeneityIsThatOfItsBlocks) {
  for (const std::string& family : family_names())
    for (const char* phi : {"relu", "abs", "identity", "tanh", "relu_squared"})
      for (const char* init : {"he", "torch-default", "gaussian", "gaussian:sigma_b=0.1"})
        for (const char* scheme : {"residual", "depth-mup", "gated:a=0.3", "pre-ln", "ngpt"}) {
          const StackPtr stack = testing::stack(text_of(scheme, family, 6, phi, init), 1, 3);
          bool all = true;
          for (Index l = 0; l < stack->blocks(); ++l) all = all && stack->block(l)->positively_homogeneous();
          EXPECT_EQ(stack->positively_homogeneous(), all)
              << family << ' ' << phi << ' ' << init << ' ' << scheme;
        }
}

Matrix jacobian(const Stack& stack) {
  return testing::plain(testing::last_step(stack).jacobian);
}

StackText transformer_text(const char* scheme, const char* init = "torch-default", Index tokens = 4) {
  StackText text{scheme, "transformer", 6, "gelu", init, 2};
  text.tokens.tokens = tokens;
  text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
  return text;
}

const char* const norm_schemes[] = {"post-ln", "pre-ln",   "pre-rms",    "rezero:alpha=0.3",
                                    "peri-ln", "deepnorm", "sub-ln",     "normformer",
                                    "admin",   "lns",      "mix-ln",     "dyt",
                                    "ngpt",    "gpt2",     "output-norm"};

/// Under a causal mask later tokens do not reach earlier ones: those blocks of J are zero, not small.
TEST(LawStacks, CausalUpperBlocksAreZero) {
  for (const char* scheme : norm_schemes)
    for (Index kv_heads : {1, 2}) {
      StackText text = transformer_text(scheme);
      text.tokens.attention.causal = true, text.tokens.attention.kv_heads = kv_heads;
      if (kv_heads == 1) text.tokens.attention.scale = 3;
      const Matrix J = jacobian(*testing::stack(text, 3, 4));
      for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < 4; ++j)
          EXPECT_EQ(J.block(6 * i, 6 * j, 6, 6).isZero(0), j > i) << scheme << ' ' << i << ' ' << j;
    }
}

/// Without positions and masks, tokens in another order give states and J in that order.
TEST(LawStacks, TokenPermutationEquivariance) {
  const Index order[] = {2, 0, 3, 1};
  Matrix P = Matrix::Zero(24, 24);
  for (Index t = 0; t < 4; ++t) P.block(6 * t, 6 * order[t], 6, 6).setIdentity();
  for (const char* scheme : norm_schemes) {
    if (std::string(scheme) == "admin")
      continue;  // its profile is summed in another order: equal to rounding only
    StackSpec spec = testing::stack_spec(transformer_text(scheme));
    const Vector x = testing::normal(24, 9);
    spec.input = {InputLaw::values, x};
    const StackPtr stack = build_stack(spec, 3, 4);
    spec.input.values = P * x;
    const StackPtr permuted = build_stack(spec, 3, 4);
    const testing::KeptStep one = testing::last_step(*stack), other = testing::last_step(*permuted);
    const Matrix J = testing::plain(one.jacobian);
    EXPECT_LE(testing::relative_distance(testing::plain(other.jacobian), P * J * P.transpose()), 1e-11)
        << scheme;
    EXPECT_LE(testing::relative_distance(testing::plain(other.state), P * testing::plain(one.state)), 1e-11)
        << scheme;
  }
  StackText text = transformer_text("pre-ln");
  text.width = 8, text.tokens.attention.rope = 10;
  StackSpec spec = testing::stack_spec(text);
  const Vector x = testing::normal(32, 9);
  spec.input = {InputLaw::values, x};
  const Matrix J = jacobian(*build_stack(spec, 3, 4));
  Vector swapped = x;
  swapped.head(8).swap(swapped.tail(8));
  spec.input.values = swapped;
  Matrix wanted = J;
  wanted.topRows(8).swap(wanted.bottomRows(8));
  wanted.leftCols(8).swap(wanted.rightCols(8));
  EXPECT_GT(testing::relative_distance(jacobian(*build_stack(spec, 3, 4)), wanted), 1e-3)
      << "rotary positions are seen";
}

TEST(Stack, WithAnotherInputOnlyTheInputDiffers) {
  const StackPtr stack = testing::stack(transformer_text("pre-ln"), 3, 5);
  const Vector x = testing::normal(24, 8);
  const StackPtr other = with_input(stack, x);
  EXPECT_EQ(other->input(), x);
  EXPECT_EQ(&other->geometry(), &stack->geometry());
  EXPECT_EQ(other->blocks(), stack->blocks());
  EXPECT_EQ(other->positively_homogeneous(), stack->positively_homogeneous());
  EXPECT_EQ(jacobian(*with_input(stack, stack->input())), jacobian(*stack));
  EXPECT_THROW(with_input(stack, testing::normal(23, 8)), ShapeError);
}

/// Families of one kind over tokens: the blocks of a transformer, alternating.
TEST(Stack, TransformersAlternateAttentionAndFeedForward) {
  const StackPtr stack = testing::stack(transformer_text("pre-ln"), 3, 5);
  EXPECT_EQ(stack->blocks(), 10);
  EXPECT_EQ(stack->blocks_per_layer(), 2);
  EXPECT_EQ(stack->shape(), (Shape{6, 4}));
  for (Index l = 0; l < 10; ++l) {
    EXPECT_EQ(stack->block(l)->parts().branch->name, l % 2 == 0 ? "attention" : "mlp");
  }
  const BlockPtr mlp = stack->block(1);
  EXPECT_EQ(mlp->parts().weights.at(Role::up).weight->rows(), 12);
}

/// rezero-notebook: separate matrices, one set of feed-forward biases; torch-transformer: copies of one
/// layer.
TEST(Stack, TiesOfTransformerInitializers) {
  const auto blocks_of = [](const char* init) {
    const StackPtr stack = testing::stack(transformer_text("rezero", init), 3, 4);
    return std::vector<BlockPtr>{stack->block(0), stack->block(1), stack->block(6), stack->block(7)};
  };
  const auto equal = [](const BlockPtr& a, const BlockPtr& b, bool weights) {
    bool all = true, none = true;
    for (const auto& [role, pair] : a->parts().weights) {
      const WeightPair& other = b->parts().weights.at(role);
      const bool same =
          weights ? same_bytes(*pair.weight, *other.weight) : same_bytes(*pair.bias, *other.bias);
      all = all && same, none = none && !same;
    }
    EXPECT_TRUE(all || none);
    return all;
  };
  const auto torch = blocks_of("torch-transformer"), untied = blocks_of("torch-transformer:tied=false"),
             notebook = blocks_of("rezero-notebook");
  for (std::size_t i : {0, 1}) {
    EXPECT_TRUE(equal(torch[i], torch[i + 2], true) && equal(torch[i], torch[i + 2], false));
    EXPECT_FALSE(equal(untied[i], untied[i + 2], true));
    EXPECT_FALSE(equal(notebook[i], notebook[i + 2], true));
    EXPECT_TRUE(equal(notebook[i], notebook[i + 2], false));
  }
  EXPECT_FALSE(equal(untied[1], untied[3], false));
  for (Role role : {Role::query, Role::key, Role::value, Role::output})
    EXPECT_TRUE(notebook[0]->parts().weights.at(role).bias->isZero(0)) << role_name(role);
  EXPECT_GT(notebook[1]->parts().weights.at(Role::up).bias->norm(), 0);
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
