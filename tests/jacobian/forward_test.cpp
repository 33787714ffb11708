/// forward_jacobian against other ways to compute the same J. The stacks at the top serve all tests.
#include "rezero/jacobian/forward.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/layer_laws.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::KeptStep;
using testing::last_step;
using testing::normal;
using testing::relative_distance;
using testing::same_bytes;
using testing::StackText;

bool same(const ScaledMatrix& a, const ScaledMatrix& b) {
  return a.exponent == b.exponent && same_bytes(a.mantissa, b.mantissa);
}

/// J as the plain product of the blocks' matrices at the states of a plain evaluation.
Matrix product_of_blocks(const Stack& stack) {
  const Index n = stack.shape().size();
  Matrix J = Matrix::Identity(n, n);
  Vector x = stack.input();
  for (Index l = 0; l < stack.blocks(); ++l) {
    J = to_dense(*stack.block(l)->linearize(x).derivative) * J;
    x = stack.block(l)->evaluate(x);
  }
  return J;
}

TEST(LawForward, ProductOfBlockJacobians) {
  for (const char* family : {"linear", "dense", "preactivation", "mlp", "glu"})
    for (const char* phi : {"relu", "tanh"})
      for (Real ratio : {0.5, 3.0}) {
        const StackPtr stack =
            testing::stack({"fixed:alpha=0.2", family, 9, phi, "torch-default", ratio}, 5, 8);
        EXPECT_LE(relative_distance(testing::plain(last_step(*stack).jacobian), product_of_blocks(*stack)),
                  1e-13)
            << family << ' ' << phi;
      }
}

TEST(LawForward, SeveralPositions) {
  const Shape shape{4, 3};
  const StackPtr stack =
      make_stack({testing::random_parts({"mlp", "gelu", shape, 9, testing::Biases::present, 10}),
                  testing::random_parts({"glu", "silu", shape, 6, testing::Biases::absent, 20})},
                 normal(12, 1));
  const Matrix J = testing::plain(last_step(*stack).jacobian);
  EXPECT_LE(relative_distance(J, product_of_blocks(*stack)), 1e-14);
  for (Index i = 0; i < 3; ++i)  // positions do not mix
    for (Index j = 0; j < 3; ++j)
      if (i != j) {
        EXPECT_EQ(J.block(4 * i, 4 * j, 4, 4), Matrix::Zero(4, 4));
      }
}

/// Homogeneous stacks: J x₀ = x_L. Both sides are compared as mantissas, since x_L grows like 2^depth.
TEST(LawForward, HomogeneousStacksMapTheirInputToTheirOutput) {
  for (const char* scheme : {"plain", "residual", "fixed:alpha=0.3", "normalized-sum", "depth-mup"})
    for (const char* family : {"linear", "dense", "preactivation", "mlp"})
      for (const char* phi : {"relu", "leaky_relu", "abs", "identity"})
        for (Index depth : {1, 20, 300}) {
          const StackPtr stack = testing::stack({scheme, family, 16, phi, "orthogonal"}, 2, depth);
          ASSERT_TRUE(stack->positively_homogeneous());
          const KeptStep step = last_step(*stack);
          ScaledVector got{step.jacobian.mantissa * stack->input(), step.jacobian.exponent},
              wanted = step.state;
          ASSERT_TRUE(renormalize(got) && renormalize(wanted));
          if (max_abs(wanted.mantissa) == 0) continue;  // a plain relu stack may die
          // Per block, the errors of J x and x are rounding of the same sums. If little is left of the input
          // (plain relu: x shrinks compared with J), they weigh ‖J‖‖x₀‖/‖x_L‖ times as much.
          const Real lost = frobenius_norm(step.jacobian.mantissa).log() + stack->input().norm() -
                            frobenius_norm(wanted.mantissa).log() +
                            static_cast<Real>(step.jacobian.exponent - wanted.exponent) * std::log(2.0);
          const Real bound = 1e-13 * std::exp(std::max(0.0, lost));
          Matrix scaled = got.mantissa * std::exp2(static_cast<Real>(got.exponent - wanted.exponent));
          EXPECT_LE(relative_distance(scaled, wanted.mantissa), std::max(bound, 1e-13))
              << scheme << ' ' << family << ' ' << phi << ' ' << depth;
        }
}

BlockParts linear_block(const Matrix& W, Real skip, Real branch) {
  BlockParts parts;
  parts.shape = {W.rows(), 1};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(W), nullptr};
  parts.skip_scale = Scale::number(skip), parts.branch_scale = Scale::number(branch);
  return parts;
}

/// W = I: every block doubles, and 10 000 of them give J = 2^10000 I and x = 2^10000 x₀ exactly.
TEST(Forward, TenThousandDoublingsAreExact) {
  const Index depth = 10000;
  const Vector x = normal(5, 1);
  const StackPtr stack = make_stack(
      std::vector<BlockParts>(static_cast<std::size_t>(depth), linear_block(Matrix::Identity(5, 5), 1, 1)),
      x);
  const KeptStep step = last_step(*stack);
  EXPECT_EQ(step.jacobian.mantissa, Matrix(Matrix::Identity(5, 5) / 2));
  EXPECT_EQ(step.jacobian.exponent, depth + 1);
  ScaledVector end = step.state, start{x};
  ASSERT_TRUE(renormalize(end) && renormalize(start));
  EXPECT_TRUE(same_bytes(end.mantissa, start.mantissa));
  EXPECT_EQ(end.exponent, start.exponent + depth);
}

/// Halving the maps of all 10 000 blocks changes only the exponent: the mantissa does not depend on the
/// range. (λ, α) = (1, 1) overflows a plain double after about 1700 blocks of this stack, (½, ½) does not
/// grow.
TEST(Forward, TenThousandBlocksLoseNoBit) {
  const Index depth = 10000, n = 8;
  std::vector<BlockParts> growing, steady;
  const Matrix W = normal(n, n, 3) / std::sqrt(static_cast<Real>(n));
  for (Index l = 0; l < depth; ++l) {
    growing.push_back(linear_block(W, 1, 1));
    steady.push_back(linear_block(W, 0.5, 0.5));
  }
  const KeptStep a = last_step(*make_stack(growing, normal(n, 2))),
                 b = last_step(*make_stack(steady, normal(n, 2)));
  EXPECT_TRUE(same_bytes(a.jacobian.mantissa, b.jacobian.mantissa));
  EXPECT_EQ(a.jacobian.exponent, b.jacobian.exponent + depth);
  EXPECT_GT(a.jacobian.exponent, 2000);
  ScaledVector left = a.state, right = b.state;
  ASSERT_TRUE(renormalize(left) && renormalize(right));
  EXPECT_TRUE(same_bytes(left.mantissa, right.mantissa));
  EXPECT_EQ(left.exponent, right.exponent + depth);
}

/// The same against long double, whose range holds 2^16383: 3000 relu blocks with kinks on the way.
TEST(Forward, DeepReluStackAgainstLongDouble) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Index depth = 3000, n = 6;
  const StackPtr stack = testing::stack({"residual", "mlp", n, "relu", "he"}, 4, depth);
  Wide J = Wide::Identity(n, n);
  Wide x = stack->input().cast<long double>();
  for (Index l = 0; l < depth; ++l) {
    const BlockPtr block = stack->block(l);
    const Wide up = block->parts().weights.at(Role::up).weight->cast<long double>(),
               down = block->parts().weights.at(Role::down).weight->cast<long double>();
    Wide h = up * x, M = up;
    for (Index i = 0; i < h.rows(); ++i)
      if (h(i) <= 0) h(i) = 0, M.row(i).setZero();
    x += down * h;
    J += down * (M * J);
  }
  const KeptStep step = last_step(*stack);
  ASSERT_GT(step.jacobian.exponent, 1024) << "beyond double";
  int shift = 0;
  std::frexp(J.cwiseAbs().maxCoeff(), &shift);
  ASSERT_EQ(step.jacobian.exponent, shift);
  const Matrix wanted = (J * std::ldexp(1.0L, -shift)).cast<Real>();
  EXPECT_LE((step.jacobian.mantissa - wanted).cwiseAbs().maxCoeff(),
            static_cast<Real>(depth) * testing::rounding(2 * n));
}

/// ‖J v‖ for orthogonal layers: all singular values of a plain linear stack are 1.
TEST(Forward, PlainOrthogonalStackIsAnIsometry) {
  for (Index n : {1, 16, 64}) {
    const StackPtr stack = testing::stack({"plain", "linear", n, "identity", "orthogonal"}, 3, 200);
    const Matrix J = testing::plain(last_step(*stack).jacobian);
    // JᵀJ − I bounds all |σ² − 1|, so |σ − 1| is half of that.
    EXPECT_LE((J.transpose() * J - Matrix::Identity(n, n)).norm() / 2,
              1e-13 * std::sqrt(static_cast<Real>(n)));
  }
}

TEST(LawForward, IdentitySchemesGiveTheIdentityBitForBit) {
  for (const char* scheme : {"rezero", "skipinit", "gated", "fixup", "zero-last-weight", "dead"})
    for (const char* family : {"linear", "dense", "preactivation", "mlp", "glu"})
      for (const char* init : {"he", "torch-default"}) {
        const StackPtr stack = testing::stack({scheme, family, 16, "gelu", init, 2}, 6, 200);
        const KeptStep step = last_step(*stack);
        ScaledMatrix identity{Matrix::Identity(16, 16)};
        ASSERT_TRUE(renormalize(identity));
        EXPECT_EQ(step.jacobian.mantissa, identity.mantissa) << scheme << ' ' << family << ' ' << init;
        EXPECT_EQ(step.jacobian.exponent, identity.exponent);
        EXPECT_EQ(testing::plain(step.state), stack->input());
      }
}

std::string failure_of(const Stack& stack, std::vector<KeptStep>* seen = nullptr,
                       std::vector<Index> depths = {}) {
  const Index n = stack.shape().size();
  if (depths.empty()) depths = {stack.blocks()};
  try {
    forward_jacobian(stack, stack.input(), Matrix::Identity(n, n), depths, [&](const ForwardStep& step) {
      if (seen) seen->push_back({step.blocks, step.state, step.jacobian});
    });
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "";
}

TEST(Forward, ZeroTimesInfinityNamesTheBlock) {
  std::vector<BlockParts> blocks(5, testing::random_parts({"mlp", "relu", {5, 1}, 7}));
  for (BlockParts& block : blocks) block.branch_scale = Scale::number(0, ScaleRole::parameter);
  blocks[3].weights[Role::up].weight = testing::share(Matrix(Matrix::Constant(7, 5, 1e308)));
  blocks[3].weights[Role::down].weight = testing::share(Matrix(Matrix::Constant(5, 7, 1e308)));
  EXPECT_EQ(failure_of(*make_stack(blocks, Vector::Ones(5))),
            "block 3: the branch output is not finite (it overflowed)");
}

/// The value is finite, the derivative is not: 2 x² has slope 4 x, times a large weight.
TEST(Forward, InfiniteDerivativeNamesTheBlock) {
  std::vector<BlockParts> blocks(3, testing::random_parts({"mlp", "relu_squared", {2, 1}, 2}));
  blocks[2].weights[Role::up].weight = testing::share(Matrix(Matrix::Identity(2, 2) * 1e200));
  blocks[2].weights[Role::down].weight = testing::share(Matrix(Matrix::Identity(2, 2) * 1e200));
  for (BlockParts& block : blocks) block.branch_scale = Scale::number(0, ScaleRole::parameter);
  EXPECT_EQ(failure_of(*make_stack(blocks, Vector::Constant(2, 1e-200))),
            "block 2: the Jacobian is not finite (the block's derivative overflowed)");
}

/// glu has degree 2: its state overflows; shallower depths are unaffected.
TEST(Forward, OverflowFailsByNameAndShallowerDepthsStand) {
  const StackPtr stack = testing::stack({"residual", "glu", 32, "relu", "he"}, 1, 40);
  std::vector<Index> depths;
  for (Index d = 1; d <= 40; ++d) depths.push_back(d);
  std::vector<KeptStep> seen;
  const std::string message = failure_of(*stack, &seen, depths);
  ASSERT_GT(seen.size(), 3u);
  ASSERT_LT(seen.size(), 40u);
  EXPECT_EQ(message.find("block " + std::to_string(seen.size()) + ": "), 0u) << message;
  for (const KeptStep& step : seen)
    EXPECT_TRUE(step.jacobian.mantissa.allFinite() && step.state.mantissa.allFinite());
  const StackPtr shallow = testing::stack({"residual", "glu", 32, "relu", "he"}, 1, 3);
  EXPECT_TRUE(same(last_step(*shallow).jacobian, seen[2].jacobian));
}

TEST(LawForward, BytesDoNotDependOnWorkers) {
  for (Index n : {1, 7, 31, 32, 33, 64, 65, 100, 130, 257, 300})
    for (const char* family : {"mlp", "dense"}) {
      if (n > 150 && std::string(family) == "dense") continue;
      const Real ratio = n % 2 == 0 ? 2 : 1;  // condensed and not
      const StackPtr stack = testing::stack({"fixed:alpha=0.5", family, n, "relu", "he", ratio}, 9, 2);
      const KeptStep one = last_step(*stack);
      for (int workers : {2, 3, 4, 7}) {
        ForwardOptions options;
        options.workers = workers;
        EXPECT_TRUE(same(last_step(*stack, options).jacobian, one.jacobian)) << n << ' ' << workers;
      }
    }
}

TEST(LawForward, BytesOfTransformersDoNotDependOnWorkers) {
  for (const char* scheme : {"pre-ln", "post-ln", "sub-ln", "ngpt", "rezero:alpha=0.2"})
    for (Index tokens : {1, 2, 5, 8, 16}) {
      StackText text{scheme, tokens == 5 ? "glu-transformer" : "transformer", 12, "gelu", "torch-default", 2};
      if (tokens == 8) text.width = 48;  // 384 columns
      text.tokens.tokens = tokens;
      text.tokens.attention.heads = 3, text.tokens.attention.kv_heads = tokens == 2 ? 1 : 3;
      text.tokens.attention.causal = tokens == 5;
      if (tokens == 16) text.tokens.attention.rope = 100;
      const StackPtr stack = testing::stack(text, 9, 2);
      const KeptStep one = last_step(*stack);
      for (int workers : {2, 3, 5}) {
        ForwardOptions options;
        options.workers = workers;
        EXPECT_TRUE(same(last_step(*stack, options).jacobian, one.jacobian))
            << scheme << tokens << ' ' << workers;
      }
    }
}

/// The branch over tokens becomes one matrix per token, and J equals the product of the blocks' own matrices.
TEST(LawForward, TransformersAgainstTheProductOfBlocks) {
  for (const char* scheme :
       {"pre-ln", "post-ln", "peri-ln", "sub-ln", "normformer", "ngpt", "deepnorm", "admin"})
    for (const char* family : {"transformer", "glu-transformer", "attention", "mlp"}) {
      StackText text{scheme, family, 8, "gelu", "torch-default", 4};
      text.tokens.tokens = 4;
      text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
      const StackPtr stack = testing::stack(text, 5, 4);
      EXPECT_LE(relative_distance(testing::plain(last_step(*stack).jacobian), product_of_blocks(*stack)),
                1e-13)
          << scheme << ' ' << family;
      // One token's columns are those of the full J.
      Matrix columns = Matrix::Zero(32, 8);
      columns.middleRows(8, 8).setIdentity();
      const KeptStep part = testing::steps(*stack, columns, {stack->blocks()}).back();
      EXPECT_LE(relative_distance(testing::plain(part.jacobian), product_of_blocks(*stack).middleCols(8, 8)),
                1e-13)
          << scheme << ' ' << family;
    }
}

TEST(ColumnPanels, CoverAllColumnsOnce) {
  for (Index columns = 1; columns <= 1100; ++columns)
    for (int workers : {-1, 0, 1, 2, 3, 4, 7, 64}) {
      const Index rows = columns % 3 == 0 ? 40 : 5000;
      const Real flops = columns % 2 == 0 ? 1000.0 * static_cast<Real>(rows) : 1e9;
      const std::vector<Index> starts = column_panels(columns, rows, flops, workers);
      ASSERT_GE(starts.size(), 2u);
      ASSERT_EQ(starts.front(), 0);
      ASSERT_EQ(starts.back(), columns);
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const Index width = starts[i + 1] - starts[i];
        ASSERT_EQ(starts[i] % 8, 0) << columns << ' ' << workers;
        if (starts.size() > 2) {
          ASSERT_GE(width, 16) << columns << ' ' << workers;
        }
        ASSERT_LE(width, 519) << columns << ' ' << workers;
      }
    }
}

TEST(Forward, VisitsTheDepthsAskedFor) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 9, "relu", "he"}, 9, 12);
  const Matrix unit = Matrix::Identity(9, 9);
  std::vector<Index> all;
  for (Index d = 1; d <= 12; ++d) all.push_back(d);
  const std::vector<KeptStep> every = testing::steps(*stack, unit, all),
                              some = testing::steps(*stack, unit, {1, 4, 11});
  ASSERT_EQ(every.size(), 12u);
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[1].blocks, 4);
  for (const KeptStep& step : some)
    EXPECT_TRUE(same(step.jacobian, every[static_cast<std::size_t>(step.blocks - 1)].jacobian));
  EXPECT_TRUE(testing::steps(*stack, unit, {}).empty());
  EXPECT_THROW(testing::steps(*stack, unit, {0}), std::logic_error);
  EXPECT_THROW(testing::steps(*stack, unit, {13}), std::logic_error);
  EXPECT_THROW(testing::steps(*stack, unit, {4, 3}), std::logic_error);
}

TEST(Forward, TangentsGiveColumnsOfTheJacobian) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 24, "gelu", "he", 2}, 9, 10);
  const Matrix J = testing::plain(last_step(*stack).jacobian);
  for (Index k : {1, 3, 40}) {
    const Matrix V = normal(24, k, 5);
    const Matrix JV = testing::plain(testing::steps(*stack, V, {10}).back().jacobian);
    EXPECT_LE(relative_distance(JV, J * V), 1e-13) << k;
  }
}

TEST(Forward, WatchersSeeEveryBlock) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 9, "relu", "he"}, 9, 6);
  std::vector<Index> seen;
  int checkpoints = 0;
  Vector x = stack->input();
  Matrix J = Matrix::Identity(9, 9);
  ForwardOptions options;
  options.measure_changes = true;
  options.checkpoint = [&] { ++checkpoints; };
  options.on_block = [&](const BlockStep& step) {
    seen.push_back(step.block);
    EXPECT_EQ(step.before.mantissa, x);
    x = stack->block(step.block)->evaluate(x);
    EXPECT_LE(relative_distance(step.at.value, x), 1e-14);
    x = step.at.value;
    const Matrix next = to_dense(*step.at.derivative) * J;
    EXPECT_NEAR(step.jacobian_change, (next - J).cwiseAbs().maxCoeff() / J.cwiseAbs().maxCoeff(), 1e-13);
    J = next;
  };
  last_step(*stack, options);
  EXPECT_EQ(seen, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(checkpoints, 6);
  options.on_block = nullptr;
  options.checkpoint = [&] {
    if (++checkpoints > 9) throw Cancelled();
  };
  EXPECT_THROW(last_step(*stack, options), Cancelled);
}

/// schemes.md 2.16: scaling the last weight by a power of two is the same as a fixed branch scale, bit for
/// bit.
TEST(LawForward, LastWeightScaledIsAFixedScale) {
  for (const char* family : {"linear", "preactivation", "mlp", "glu", "dense"})
    for (Real ratio : {1.0, 3.0}) {
      StackText text{"last-weight-scaled", family, 12, "relu", "he", ratio};
      const KeptStep a = last_step(*testing::stack(text, 8, 16));  // c = 16^−1/2
      text.scheme = "fixed:alpha=0.25";
      const KeptStep b = last_step(*testing::stack(text, 8, 16));
      EXPECT_TRUE(a.jacobian.mantissa == b.jacobian.mantissa && a.jacobian.exponent == b.jacobian.exponent)
          << family;
      EXPECT_EQ(testing::plain(a.state), testing::plain(b.state)) << family;
    }
}

}  // namespace
}  // namespace rezero
