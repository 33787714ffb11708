#include "rezero/theory/trainability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/jacobian/forward.h"
#include "rezero/theory/agreement.h"
#include "rezero/theory/correlation.h"
#include "rezero/theory/critical.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/moments.h"
#include "support/stacks.h"

namespace rezero::theory {
namespace {

StackSpec spec_of(const char* scheme, const char* family, const char* activation, Index width = 64) {
  StackSpec spec(scheme, family);
  spec.width = width;
  spec.activation = Activation(activation);
  return spec;
}

NetworkLaw plain(const char* activation, Real weight, Real bias, Index depth) {
  NetworkLaw law;
  law.activation = Activation(activation);
  BlockLaw block;
  block.form = BranchForm::dense;
  block.skip = 0, block.weight = weight, block.bias = bias;
  law.blocks.assign(static_cast<std::size_t>(depth), block);
  return law;
}

/// In the ordered phase, 1 − ρ falls by χ₁ per layer far down.
TEST(Correlations, DecayWithTheSlopeOfTheMap) {
  const Real weight = 1.3, bias = 0.05;
  const NetworkLaw law = plain("tanh", weight, bias, 80);
  const PlainPhase phase = plain_phase(GaussianIntegrals(Activation("tanh")), weight, bias, 1);
  const std::vector<Correlation> at = correlations(law, mean_field(law), 0.5);
  // Of x rather than W x + b, whose ratio has the same limit.
  EXPECT_NEAR((1 - at[80].cosine) / (1 - at[79].cosine), *phase.chi, 1e-5);
}

/// Measured: correlations of pairs of states of stacks in each form and with norms, width 256, 6 draws.
TEST(LawCorrelations, MeasuredStacksAgree) {
  struct Case {
    const char *scheme, *family, *activation;
  };
  for (const Case& at : {Case{"depth-power", "mlp", "tanh"}, Case{"depth-power", "dense", "relu"},
                         Case{"depth-power", "preactivation", "gelu"}, Case{"residual", "linear", "relu"},
                         Case{"pre-ln", "mlp", "relu"}, Case{"post-ln", "mlp", "gelu"},
                         Case{"plain", "dense", "tanh"}, Case{"plain", "preactivation", "relu"}}) {
    constexpr Index n = 256, depth = 6;
    const StackSpec spec = spec_of(at.scheme, at.family, at.activation, n);
    const Described described = describe(spec, depth);
    ASSERT_TRUE(described.law) << described.reason;
    const Real rho = 0.4;
    const Real predicted = correlations(*described.law, mean_field(*described.law), rho).back().cosine;
    Vector found(6);
    for (Index seed = 0; seed < 6; ++seed) {
      const StackPtr stack = build_stack(spec, static_cast<std::uint64_t>(seed), depth);
      // Two inputs with |x|² = n, mean 0 and correlation ρ exactly.
      Matrix basis = testing::normal(n, 2, static_cast<std::uint32_t>(seed) + 50);
      basis.rowwise() -= basis.colwise().mean().eval();
      basis.col(0).normalize();
      basis.col(1) -= basis.col(0) * basis.col(0).dot(basis.col(1));
      basis.col(1).normalize();
      const Vector x = std::sqrt(Real{n}) * basis.col(0);
      const Vector y = rho * x + std::sqrt((1 - rho * rho) * n) * basis.col(1);
      const auto end = [&](const Vector& input) {
        Vector state;
        forward_jacobian(*stack, input, Matrix::Zero(n, 2), {depth},
                         [&](const ForwardStep& step) { state = step.state.mantissa; });
        return Vector(state.normalized());
      };
      found[seed] = end(x).dot(end(y));
    }
    EXPECT_EQ(compare_mean(found, {predicted, {}, 4.0 / n}).verdict, Verdict::agrees)
        << at.scheme << " " << at.family << " " << at.activation << ": " << found.mean() << " predicted "
        << predicted;
  }
}

/// residual, linear: m1 = (1 + χ)^L, so that the norm leaves e^±k after 2k/log(1 + χ) layers.
TEST(Trainability, OfLinearStacksByHand) {
  StackSpec spec = spec_of("residual", "linear", "relu");
  const Real chi = mean_field(*describe(spec, 1).law).blocks[0].branch_slope;
  TrainabilityOptions options;
  options.range = 3;
  const TrainableDepth at = trainable_depth(spec, options);
  EXPECT_EQ(*at.gradient, static_cast<Index>(std::floor(6 / std::log1p(chi))));
  EXPECT_FALSE(at.correlation);
  EXPECT_EQ(at.limit, 256);
}

/// At each side of the answer the range is kept and left, for schemes that depend on the depth and others.
TEST(LawTrainability, TheDepthIsTheLargest) {
  TrainabilityOptions options;
  options.limit = 64;
  options.range = 0.4;
  for (const char* scheme :
       {"residual", "fixed:alpha=0.3", "depth-power:p=0.25", "depth-power:c=2:p=0.5", "plain", "pre-ln"}) {
    const StackSpec spec = spec_of(scheme, "mlp", "tanh");
    const TrainableDepth at = trainable_depth(spec, options);
    if (!at.gradient) continue;
    const auto drift = [&](Index depth) {
      if (depth == 0) return Real{0};
      const NetworkLaw law = *describe(spec, depth).law;
      return std::abs(log_mean_square(law, mean_field(law))) / 2;
    };
    EXPECT_LE(drift(*at.gradient), options.range) << scheme;
    EXPECT_GT(drift(*at.gradient + 1), options.range) << scheme;
  }
}

TEST(Trainability, ScalesOfDepthAreTrainableAtEveryDepth) {
  for (const char* scheme : {"depth-power:p=0.5", "depth-power:p=1", "rezero"}) {
    const TrainableDepth at = trainable_depth(spec_of(scheme, "mlp", "tanh"));
    EXPECT_FALSE(at.gradient) << scheme;
    EXPECT_FALSE(at.correlation) << scheme;
  }
}

TEST(Trainability, WhatIsRefused) {
  TrainabilityOptions options;
  options.range = 0;
  EXPECT_THROW(trainable_depth(spec_of("residual", "mlp", "tanh"), options), UsageError);
  options = {};
  options.rho = 1;
  EXPECT_THROW(trainable_depth(spec_of("residual", "mlp", "tanh"), options), UsageError);
  EXPECT_NE(trainable_depth(spec_of("residual", "attention", "relu")).reason, "");
}

}  // namespace
}  // namespace rezero::theory
