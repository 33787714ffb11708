/// Predictions against stacks that the library builds, with fixed seeds.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rezero/theory/correlation.h"
#include "rezero/theory/gradients.h"
#include "rezero/theory/masks.h"
#include "rezero/theory/moments.h"
#include "support/stacks.h"

namespace rezero::theory {
namespace {

using testing::StackText;

struct Sample {
  Real mean = 0, error = 0, deviation = 0;
};

Sample sample_of(const std::vector<Real>& values) {
  const auto count = static_cast<Real>(values.size());
  Sample sample;
  for (const Real value : values) sample.mean += value / count;
  Real square = 0;
  for (const Real value : values) square += (value - sample.mean) * (value - sample.mean);
  sample.deviation = std::sqrt(square / (count - 1));
  sample.error = sample.deviation / std::sqrt(count);
  return sample;
}

struct Measured {
  Sample log_m1, m1, relative_variance, square;
};

Measured measure(const StackText& text, Index depth, int seeds) {
  std::vector<Real> log_m1, m1, relative_variance, square;
  for (int seed = 1; seed <= seeds; ++seed) {
    const StackPtr stack = testing::stack(text, static_cast<std::uint64_t>(seed), depth);
    const testing::KeptStep step = testing::last_step(*stack);
    const Matrix& jacobian = step.jacobian.mantissa;
    const auto n = static_cast<Real>(text.width);
    const Real first = jacobian.squaredNorm() / n;
    const Real second = (jacobian.transpose() * jacobian).squaredNorm() / n;
    log_m1.push_back(std::log(first) + 2 * static_cast<Real>(step.jacobian.exponent) * std::log(2.0));
    m1.push_back(std::exp(log_m1.back()));
    relative_variance.push_back(second / (first * first) - 1);
    square.push_back(std::exp2(2 * static_cast<Real>(step.state.exponent)) *
                     step.state.mantissa.squaredNorm() / n);
  }
  return {sample_of(log_m1), sample_of(m1), sample_of(relative_variance), sample_of(square)};
}

StackText text(const char* scheme, const char* family, const char* activation, const char* init,
               Index width) {
  StackText text;
  text.scheme = scheme, text.family = family, text.activation = activation, text.init = init;
  text.width = width;
  return text;
}

/// Four standard errors, and the allowance for the width.
TEST(LawTheory, MomentsOfStacks) {
  constexpr Index width = 64, depth = 8;
  constexpr int seeds = 64;
  const char* biased = "gaussian:sigma_w=1.2:sigma_b=0.3";
  const StackText table[] = {
      text("fixed:alpha=0.3", "linear", "relu", "lecun", width),
      text("fixed:alpha=1", "linear", "relu", "he-uniform", width),
      text("fixed:alpha=0.3", "linear", "relu", "orthogonal", width),
      text("fixed:alpha=0.3", "dense", "tanh", biased, width),
      text("fixed:alpha=0.3", "dense", "relu", "he", width),
      text("fixed:alpha=0.3", "dense", "erf", "orthogonal", width),
      text("fixed:alpha=0.3", "preactivation", "relu", "he", width),
      text("fixed:alpha=0.5", "preactivation", "tanh", "lecun", width),
      text("fixed:alpha=0.3", "mlp", "relu", "he", width),
      text("fixed:alpha=0.5", "mlp", "tanh", biased, width),
      text("fixed:alpha=0.3", "mlp", "gelu", "torch-default", width),
      text("fixed:alpha=0.5", "mlp", "leaky_relu", "orthogonal", width),
      text("gated:a=0.25", "mlp", "relu", "he", width),
      text("last-weight-scaled", "mlp", "relu", "he", width),
      text("plain", "linear", "relu", "lecun", width),
      text("plain", "dense", "tanh", "lecun", width),
      text("pre-ln", "mlp", "relu", "he", width),
      text("pre-rms", "mlp", "tanh", "lecun", width),
      text("post-ln", "mlp", "relu", "he", width),
      text("deepnorm", "mlp", "relu", "he", width),
      text("pre-ln", "dense", "relu", "he", width),
  };
  for (const StackText& row : table) {
    const std::string what = row.scheme + " " + row.family + " " + row.activation + " " + row.init;
    StackText one = row;
    const Described described = describe(testing::stack_spec(one), depth);
    ASSERT_TRUE(described.law) << what << ": " << described.reason;
    const MeanField field = mean_field(*described.law);
    const Moments predicted = moments(*described.law, field);
    const Measured measured = measure(one, depth, seeds);
    const Real spread = predicted.spread.value_or(measured.m1.deviation / measured.m1.mean);
    const Real target = predicted.log_m1 - std::log1p(spread * spread) / 2;
    EXPECT_NEAR(measured.log_m1.mean, target, 4 * measured.log_m1.error + predicted.allowance) << what;
    const Real square = field.final_square, bias = predicted.exact ? 0 : predicted.allowance * square;
    EXPECT_NEAR(measured.square.mean, square, 4 * measured.square.error + bias + 1e-5) << what;
    if (predicted.spread) {  // the standard error of a standard deviation, of normal numbers
      EXPECT_NEAR(measured.log_m1.deviation / std::sqrt(std::log1p(spread * spread)), 1,
                  4 / std::sqrt(2.0 * (seeds - 1)))
          << what;
    }
  }
}

/// The spread depends on whether |x_0| is drawn: where χ falls with q, a long input has small slopes.
TEST(LawTheory, SpreadOfStacks) {
  constexpr Index width = 64, depth = 8;
  constexpr int seeds = 400;
  for (const char* family : {"mlp", "dense", "preactivation"})
    for (const InputLaw input : {InputLaw::normal, InputLaw::sphere}) {
      StackSpec spec = testing::stack_spec(text("fixed:alpha=0.3", family, "tanh", "lecun", width));
      spec.input.law = input;
      const NetworkLaw law = *describe(spec, depth).law;
      const Moments predicted = moments(law, mean_field(law));
      std::vector<Real> log_m1;
      for (int seed = 1; seed <= seeds; ++seed) {
        const StackPtr stack = build_stack(spec, static_cast<std::uint64_t>(seed), depth);
        log_m1.push_back(2 * frobenius_norm(testing::plain(testing::last_step(*stack).jacobian)).log());
      }
      const Sample sample = sample_of(log_m1);
      EXPECT_NEAR(sample.deviation / *predicted.spread, 1, 4 / std::sqrt(2.0 * (seeds - 1)))
          << family << (input == InputLaw::normal ? ", normal" : ", sphere");
    }
}

/// Corrections for the width are O(1/n): 2 V(2n) − V(n) has none of that order.
TEST(LawTheory, RelativeVarianceOfStacks) {
  constexpr Index width = 48, depth = 8;
  constexpr int seeds = 96;
  const StackText table[] = {
      text("fixed:alpha=0.3", "linear", "relu", "lecun", width),
      text("fixed:alpha=0.3", "linear", "relu", "orthogonal", width),
      text("fixed:alpha=0.3", "dense", "tanh", "lecun", width),
      text("fixed:alpha=0.3", "dense", "erf", "orthogonal", width),
      text("fixed:alpha=0.5", "preactivation", "relu", "he", width),
      text("fixed:alpha=0.5", "preactivation", "tanh", "orthogonal", width),
      text("fixed:alpha=0.2", "mlp", "gelu", "he", width),
      text("gated:a=0.25", "mlp", "leaky_relu", "orthogonal", width),
      text("deepnorm", "mlp", "relu", "he", width),
  };
  for (const StackText& row : table) {
    const std::string what = row.scheme + " " + row.family + " " + row.activation + " " + row.init;
    StackText wide = row;
    wide.width = 2 * width;
    const NetworkLaw law = *describe(testing::stack_spec(wide), depth).law;
    const Moments predicted = moments(law, mean_field(law));
    const auto non_zero = [](const Measured& measured, Real null_share) {
      return (1 + measured.relative_variance.mean) * (1 - null_share) - 1;
    };
    const Measured narrow = measure(row, depth, seeds), broad = measure(wide, depth, seeds);
    const Real limit = 2 * non_zero(broad, predicted.null_share) - non_zero(narrow, 2 * predicted.null_share);
    const Real error = std::hypot(2 * broad.relative_variance.error, narrow.relative_variance.error);
    EXPECT_NEAR(limit, predicted.relative_variance, 4 * error) << what;
  }
}

TEST(LawTheory, OutlierOfDenseStacks) {
  constexpr Index width = 96, depth = 12;
  const StackText relu = text("fixed:alpha=0.3", "dense", "relu", "he", width);
  const NetworkLaw law = *describe(testing::stack_spec(relu), depth).law;
  const Moments predicted = moments(law, mean_field(law));
  const Measured measured = measure(relu, depth, 48);
  const Real without = std::exp(predicted.log_bulk_m1), with = std::exp(predicted.log_m1);
  EXPECT_NEAR(measured.m1.mean, with, 4 * measured.m1.error + predicted.allowance * with);
  EXPECT_GT(measured.m1.mean, without + 4 * measured.m1.error);
}

/// |∂x_L/∂x_l|²_F/n of the blocks above l.
TEST(LawTheory, GradientsOfStacks) {
  constexpr Index width = 64, depth = 8;
  constexpr int seeds = 48;
  for (const char* activation : {"relu", "tanh"}) {
    const StackText row = text("fixed:alpha=0.4", "mlp", activation, "he", width);
    const NetworkLaw law = *describe(testing::stack_spec(row), depth).law;
    const MeanField field = mean_field(law);
    const GradientLaw predicted = gradients(law, field);
    const Real allowance = moments(law, field).allowance;
    for (const Index l : {2, 5}) {
      std::vector<Real> squares;
      for (int seed = 1; seed <= seeds; ++seed) {
        const StackPtr stack = testing::stack(row, static_cast<std::uint64_t>(seed), depth);
        const auto before = testing::steps(*stack, Matrix::Identity(width, width), {l});
        const StackPtr rest = slice_stack(stack, l, depth - l, testing::plain(before.back().state));
        squares.push_back(testing::plain(testing::last_step(*rest).jacobian).squaredNorm() /
                          static_cast<Real>(width));
      }
      const Sample sample = sample_of(squares);
      const Real square = std::exp(predicted.log_square[static_cast<std::size_t>(l)]);
      EXPECT_NEAR(sample.mean, square, 4 * sample.error + allowance * square) << activation << l;
    }
  }
}

/// ReZero at α = 0: ∂(uᵀx_L)/∂α_l = u·F_l(x_0), so that E F² and E F are all there is to know.
TEST(LawTheory, GradientsOfScalesAtTheIdentity) {
  constexpr Index width = 128, depth = 2;
  for (const char* family : {"mlp", "dense", "preactivation", "linear"})
    for (const char* activation : {"relu", "tanh"}) {
      const StackText row = text("rezero", family, activation, "lecun", width);
      const NetworkLaw law = *describe(testing::stack_spec(row), depth).law;
      const ScaleGradient predicted = *gradients(law, mean_field(law)).scale[1];
      std::vector<Real> squares, means;
      for (std::uint64_t seed = 1; seed <= 64; ++seed) {
        const StackPtr stack = testing::stack(row, seed, depth);
        const Vector branch = stack->block(1)->linearize_block(stack->input()).branch_value;
        squares.push_back(branch.squaredNorm() / static_cast<Real>(width));
        means.push_back(branch.mean());
      }
      const Sample square = sample_of(squares), mean = sample_of(means);
      EXPECT_NEAR(square.mean, std::exp(predicted.log_square), 4 * square.error) << family << activation;
      EXPECT_NEAR(mean.mean, *predicted.mean, 4 * mean.error) << family << activation;
    }
}

/// Ranks are those of the narrowest mask: exact zeros of D_l, counted before rounding can touch them.
TEST(LawTheory, RanksOfPlainStacks) {
  constexpr Index width = 32, depth = 3;
  const StackText row = text("plain", "dense", "relu", "he", width);
  const NetworkLaw law = *describe(testing::stack_spec(row), depth).law;
  const RankLaw predicted = rank_law(law, mean_field(law));
  std::vector<Real> shares;
  for (std::uint64_t seed = 1; seed <= 256; ++seed) {
    const StackPtr stack = testing::stack(row, seed, depth);
    Vector x = stack->input();
    Index rank = width;
    for (Index l = 0; l < depth; ++l) {
      const BlockLinearization at = stack->block(l)->linearize_block(x);
      rank = std::min<Index>(rank, (at.branch_value.array() > 0).count());
      x = at.value;
    }
    shares.push_back(static_cast<Real>(rank) / width);
  }
  const Sample sample = sample_of(shares);
  EXPECT_NEAR(sample.mean, predicted.expected[depth], 4 * sample.error);
  EXPECT_LT(sample.mean, 0.5 - 4 * sample.error);
}

/// Two tokens of cosine 1/2, which do not act on each other.
TEST(LawTheory, CorrelationOfTokens) {
  constexpr Index width = 128, depth = 6;
  constexpr int seeds = 64;
  for (const char* activation : {"relu", "tanh", "gelu"})
    for (const char* family : {"mlp", "dense"}) {
      StackSpec spec = testing::stack_spec(text("fixed:alpha=0.7", family, activation, "he", width));
      // Means of 0: alternating signs, and the same with a quarter of the pairs turned.
      Vector one(width), other(width);
      for (Index i = 0; i < width; ++i) one(i) = i % 2 == 0 ? 1 : -1;
      for (Index i = 0; i < width; ++i) other(i) = i < width / 4 ? -one(i) : one(i);
      spec.tokens.tokens = 2;
      spec.input.law = InputLaw::values;
      spec.input.values = Vector(2 * width);
      spec.input.values << one, other;
      const Described described = describe(spec, depth);
      ASSERT_TRUE(described.law) << described.reason;
      const auto predicted = correlations(*described.law, mean_field(*described.law), 0.5);
      std::vector<Real> cosines;
      for (int seed = 1; seed <= seeds; ++seed) {
        const StackPtr stack = build_stack(spec, static_cast<std::uint64_t>(seed), depth);
        Vector x = stack->input();
        for (Index l = 0; l < depth; ++l) x = stack->block(l)->linearize_block(x).value;
        cosines.push_back(x.head(width).normalized().dot(x.tail(width).normalized()));
      }
      const Sample sample = sample_of(cosines);
      EXPECT_NEAR(sample.mean, predicted.back().cosine, 4 * sample.error + Real{1} / width)
          << activation << family;
    }
}

/// Exactly the identity, predicted and built, also where the branch has no law.
TEST(LawTheory, BranchesThatAreOff) {
  for (const char* family : {"mlp", "transformer", "attention", "glu"}) {
    StackText row = text("rezero", family, "relu", "he", 8);
    row.tokens.tokens = 3;
    const Described described = describe(testing::stack_spec(row), 3);
    ASSERT_TRUE(described.law) << described.reason;
    const Moments predicted = moments(*described.law, mean_field(*described.law));
    EXPECT_EQ(predicted.log_m1, 0);
    EXPECT_TRUE(predicted.exact);
    const StackPtr stack = testing::stack(row, 1, 3);
    EXPECT_EQ(testing::plain(testing::last_step(*stack).jacobian), Matrix::Identity(24, 24));
  }
}

}  // namespace
}  // namespace rezero::theory
