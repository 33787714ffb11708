#include "rezero/theory/residual_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/jacobian/forward.h"
#include "rezero/theory/agreement.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/moments.h"
#include "support/stacks.h"

namespace rezero::theory {
namespace {

void expect_close(Real found, Real expected, Real tolerance) {
  EXPECT_LE(std::abs(found - expected), tolerance * std::abs(expected)) << found << " " << expected;
}

StackSpec spec_of(const char* scheme, const char* family, const char* activation) {
  StackSpec spec(scheme, family);
  spec.width = 64;
  spec.activation = Activation(activation);
  return spec;
}

Real log_m1(const StackSpec& spec, Index depth) {
  const NetworkLaw law = *describe(spec, depth).law;
  return log_mean_square(law, mean_field(law));
}

ScaleSolution solve(const StackSpec& spec, const char* name, Index depth, Real bound) {
  return solve_scale(spec, scale_parameter(spec.scheme.scheme().name, name), depth, bound);
}

/// relu mlp with He's initializer: χ = τ² σ² / 2 = 2 · 2 / 2.
TEST(ResidualScale, HomogeneousBranchesByHand) {
  const ScaleSolution at = solve(spec_of("fixed", "mlp", "relu"), "alpha", 16, 4);
  EXPECT_EQ(at.method, "exact");
  const Real chi = mean_field(*describe(spec_of("fixed", "mlp", "relu"), 16).law).blocks[0].branch_slope;
  expect_close(*at.value, std::sqrt(std::expm1(std::log(4.0) / 16) / chi), 1e-14);
  expect_close(at.log_first_moment, std::log(4.0), 1e-13);
}

/// The solved scheme, described anew, has the bound as its m1; a slightly larger scale exceeds it.
TEST(LawResidualScale, TheSolvedSchemeMeetsTheBound) {
  for (const char* family : {"linear", "dense", "preactivation", "mlp"})
    for (const char* activation : {"relu", "tanh", "gelu"})
      for (const ScaleParameter& row : scale_parameters())
        for (const Real bound : {1.01, 2.0, 100.0}) {
          StackSpec spec = spec_of(std::string(row.scheme).c_str(), family, activation);
          const ScaleSolution at = solve_scale(spec, row, 24, bound);
          ASSERT_TRUE(at.value) << row.scheme << " " << family << " " << activation << " " << at.reason;
          spec.scheme = SchemeSpec(at.scheme);
          EXPECT_NEAR(log_m1(spec, 24), std::log(bound), 1e-9)
              << at.scheme << " " << family << " " << activation;
        }
}

TEST(ResidualScale, PowersOfDepth) {
  const StackSpec spec = spec_of("depth-power", "mlp", "relu");
  const ScaleSolution c = solve(spec, "c", 64, 3), p = solve(spec, "p", 64, 3);
  expect_close(*c.value, *c.alpha * 8, 1e-13);  // p = 1/2
  expect_close(std::pow(64, -*p.value), *p.alpha, 1e-13);
  expect_close(*p.alpha, *c.alpha, 1e-14);
  EXPECT_FALSE(solve(spec, "p", 1, 3).value);
  EXPECT_NE(solve(spec, "p", 1, 3).reason, "");
}

TEST(ResidualScale, WhatCannotBeSolved) {
  EXPECT_THROW(solve(spec_of("fixed", "mlp", "relu"), "alpha", 8, 1), UsageError);
  EXPECT_THROW(scale_parameter("post-ln", ""), UsageError);
  EXPECT_THROW(scale_parameter("depth-power", "alpha"), UsageError);
  const ScaleSolution softmax = solve(spec_of("fixed", "attention", "relu"), "alpha", 8, 2);
  EXPECT_FALSE(softmax.value);
  EXPECT_NE(softmax.reason, "");
}

/// Measured m1 of stacks with the solved scale, mlp relu: exact at every width.
TEST(LawResidualScale, MeasuredFirstMomentIsTheBound) {
  StackSpec spec = spec_of("fixed", "mlp", "relu");
  spec.scheme = SchemeSpec(solve(spec, "alpha", 12, 3).scheme);
  Vector logs(12);
  for (Index seed = 0; seed < 12; ++seed) {
    const StackPtr stack = build_stack(spec, static_cast<std::uint64_t>(seed), 12);
    logs[seed] = std::log(testing::plain(testing::last_step(*stack).jacobian).squaredNorm() / 64);
  }
  const Real sd = std::sqrt((logs.array() - logs.mean()).square().sum() / 11);
  EXPECT_EQ(compare_first_moment(logs, {std::log(3.0), sd, 0}).verdict, Verdict::agrees) << logs.mean();
}

}  // namespace
}  // namespace rezero::theory
