#include "rezero/jacobian/backward.h"

#include <gtest/gtest.h>

#include "support/layer_cases.h"
#include "support/layer_laws.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::normal;

/// A stack kept as parts, so that tests can change them.
struct Model {
  std::vector<BlockParts> parts;
  Vector input;

  StackPtr stack() const { return make_stack(parts, input); }
  /// uᵀ x_L.
  Real scalar(const Vector& u) const {
    Vector x = input;
    for (const BlockParts& block : parts) x = ResidualBlock(block).evaluate(x);
    return u.dot(x);
  }
};

Model model(const char* branch, const char* phi, Shape shape, testing::Biases biases) {
  Model made;
  for (std::uint32_t l = 0; l < 4; ++l) {
    made.parts.push_back(testing::random_parts({branch, phi, shape, 7, biases, 400 + 20 * l}));
    made.parts.back().branch_scale = {0.5 * normal(shape.features, 500 + l), ScaleRole::parameter};
  }
  made.input = normal(shape.size(), 600);
  return made;
}

std::vector<Model> models() {
  std::vector<Model> all;
  for (const BranchKind& kind : branches())
    for (Shape shape : {Shape{5, 1}, Shape{4, 3}})
      for (testing::Biases biases : {testing::Biases::absent, testing::Biases::present}) {
        all.push_back(model(kind.name.data(), "gelu", shape, biases));
        Model wired = model(kind.name.data(), "softplus", shape, biases);
        wired.parts[1].mix = MixRule::gated;
        wired.parts[2].branch_norm.kind = &norms().at("mean_subtraction");
        wired.parts[3].post_activation = Activation("tanh");
        all.push_back(std::move(wired));
      }
  return all;
}

BackwardRequest along(Vector u) {
  BackwardRequest request;
  request.cotangent = std::move(u);
  return request;
}

/// x_0 … x_L, as the analysis hands them over.
std::vector<ScaledVector> states_of(const Stack& stack) {
  std::vector<ScaledVector> states = {{stack.input(), 0}};
  ForwardOptions options;
  options.on_block = [&](const BlockStep& step) { states.push_back({step.at.value, step.before.exponent}); };
  testing::last_step(stack, options);
  return states;
}

Real number(const ScaledReal& a) {
  return std::ldexp(a.mantissa, static_cast<int>(a.exponent));
}

TEST(LawBackward, SuffixNormsAreThoseOfDenseProducts) {
  for (const Model& m : models()) {
    const StackPtr stack = m.stack();
    const auto states = states_of(*stack);
    const Index n = stack->shape().size();
    BackwardRequest request;
    request.cotangent = normal(n, 1);
    request.suffix_norms = true;
    const BackwardResult got = backward_pass(*stack, states, request);
    ASSERT_EQ(got.suffix_square.size(), m.parts.size() + 1);
    Matrix suffix = Matrix::Identity(n, n);
    for (std::size_t l = m.parts.size() + 1; l-- > 0;) {
      if (l < m.parts.size())
        suffix = suffix * to_dense(*ResidualBlock(m.parts[l]).linearize(states[l].mantissa).derivative);
      EXPECT_NEAR(number(got.suffix_square[l]) / suffix.squaredNorm(), 1, 1e-13);
    }
  }
}

/// Against central differences of uᵀ x_L with the stack rebuilt: the branch scale of one block moved.
TEST(LawBackward, GateGradientsAgainstDifferences) {
  for (const Model& m : models()) {
    const StackPtr stack = m.stack();
    const Vector u = normal(stack->shape().size(), 2);
    const BackwardResult got = backward_pass(*stack, states_of(*stack), along(u));
    EXPECT_TRUE(got.suffix_square.empty());
    for (std::size_t l = 0; l < m.parts.size(); ++l) {
      const auto slope = [&](Real h) {
        Model plus = m, minus = m;
        plus.parts[l].branch_scale.values.array() += h;
        minus.parts[l].branch_scale.values.array() -= h;
        return (plus.scalar(u) - minus.scalar(u)) / (2 * h);
      };
      const Real close = slope(1e-4), wide = slope(2e-4), gradient = number(got.gate_gradient[l]);
      EXPECT_LE(std::abs(gradient - close), std::abs(close - wide) + 1e-9 * (1 + std::abs(gradient)))
          << m.parts[l].branch->name << ' ' << l;
    }
  }
}

/// ‖∂(uᵀ x_L)/∂W‖_F entry by entry.
TEST(LawBackward, LastWeightGradientsAgainstDifferences) {
  for (const Model& m : models()) {
    const StackPtr stack = m.stack();
    const Vector u = normal(stack->shape().size(), 3);
    const BackwardResult got = backward_pass(*stack, states_of(*stack), along(u));
    for (std::size_t l : {std::size_t{0}, std::size_t{3}}) {
      const Role role = m.parts[l].branch->slots({4, 7}).back().role;
      const Matrix W = *m.parts[l].weights.at(role).weight;
      const auto gradient = [&](Real h) {
        Matrix G(W.rows(), W.cols());
        for (Index i = 0; i < W.size(); ++i) {
          Model plus = m, minus = m;
          Matrix up = W, down = W;
          up(i) += h, down(i) -= h;
          plus.parts[l].weights[role].weight = testing::share(up);
          minus.parts[l].weights[role].weight = testing::share(down);
          G(i) = (plus.scalar(u) - minus.scalar(u)) / (2 * h);
        }
        return G;
      };
      const Matrix close = gradient(1e-4), wide = gradient(2e-4);
      const Real norm = number(got.last_weight_gradient[l]);
      EXPECT_LE(std::abs(norm - close.norm()), (close - wide).norm() + 1e-8 * (1 + norm))
          << m.parts[l].branch->name << ' ' << l;
    }
  }
}

/// A homogeneous stack beyond the range of doubles: uᵀ x_L is of degree 1 in x₀, and the gradients of a stack
/// with all maps halved are those of the growing one, halved once per block that the signal does not pass.
TEST(LawBackward, DeepHomogeneousStacksLoseNothing) {
  const Index depth = 5000;
  std::vector<BlockParts> growing, steady;
  for (Index l = 0; l < depth; ++l) {
    growing.push_back(testing::random_parts({"mlp", "relu", {6, 1}, 6, testing::Biases::absent, 40}));
    steady.push_back(growing.back());
    steady.back().skip_scale = steady.back().branch_scale = Scale::number(0.5);
  }
  const Vector x = normal(6, 4);
  const StackPtr a = make_stack(growing, x), b = make_stack(steady, x);
  BackwardRequest request;
  request.cotangent = normal(6, 5);
  request.suffix_norms = true;
  const BackwardResult left = backward_pass(*a, states_of(*a), request),
                       right = backward_pass(*b, states_of(*b), request);
  for (Index l : {Index{0}, Index{1}, depth / 2, depth - 1}) {
    const auto at = static_cast<std::size_t>(l);
    EXPECT_EQ(left.suffix_square[at].mantissa, right.suffix_square[at].mantissa);
    EXPECT_EQ(left.suffix_square[at].exponent, right.suffix_square[at].exponent + 2 * (depth - l));
    EXPECT_EQ(left.gate_gradient[at].mantissa, right.gate_gradient[at].mantissa);
    EXPECT_EQ(left.gate_gradient[at].exponent, right.gate_gradient[at].exponent + depth - 1);
    EXPECT_EQ(left.last_weight_gradient[at].mantissa, right.last_weight_gradient[at].mantissa);
    EXPECT_EQ(left.last_weight_gradient[at].exponent, right.last_weight_gradient[at].exponent + depth);
  }
  EXPECT_GT(left.gate_gradient[0].exponent, 1024) << "beyond double";
}

TEST(Backward, WorkersGiveTheSameBytes) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 100, "relu", "he"}, 1, 3);
  BackwardRequest request;
  request.cotangent = normal(100, 6);
  request.suffix_norms = true;
  const auto states = states_of(*stack);
  const BackwardResult one = backward_pass(*stack, states, request);
  for (int workers : {2, 3, 7}) {
    request.workers = workers;
    EXPECT_EQ(backward_pass(*stack, states, request).suffix_square, one.suffix_square);
  }
}

TEST(Backward, ShallowerThanTheStack) {
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 8, "relu", "he"}, 1, 5);
  std::vector<ScaledVector> states = states_of(*stack);
  states.resize(3);
  const BackwardResult got = backward_pass(*stack, states, along(normal(8, 6)));
  const StackPtr shallow = testing::stack({"fixed:alpha=0.5", "mlp", 8, "relu", "he"}, 1, 2);
  EXPECT_EQ(got.gate_gradient, backward_pass(*shallow, states, along(normal(8, 6))).gate_gradient);
  states.resize(1);
  EXPECT_THROW(backward_pass(*stack, states, along(normal(8, 6))), std::logic_error);
}

}  // namespace
}  // namespace rezero
