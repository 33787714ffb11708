#include "rezero/theory/correlation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"
#include "support/theory_laws.h"

namespace rezero::theory {
namespace {

using testing::net;
using testing::NetText;

std::vector<Correlation> of(const NetworkLaw& law, Real cosine) {
  return correlations(law, mean_field(law), cosine);
}

TEST(TheoryCorrelation, EqualInputsStayEqual) {
  for (const BranchForm form :
       {BranchForm::linear, BranchForm::dense, BranchForm::preactivation, BranchForm::mlp})
    for (const char* activation : {"relu", "tanh", "gelu"}) {
      const auto states = of(net({form, activation, 0.5, 1.5, 1.2, 0.1}, 6, 64), 1);
      for (const Correlation& state : states) EXPECT_NEAR(state.cosine, 1, 1e-9) << activation;
    }
}

/// The slope is the derivative of the map at 1, by differences.
TEST(TheoryCorrelation, SlopeAtOne) {
  for (const NormPlacement norm :
       {NormPlacement::none, NormPlacement::before_branch, NormPlacement::after_sum})
    for (const char* activation : {"tanh", "erf", "identity"}) {
      NetworkLaw law = net({BranchForm::mlp, activation, 0.7, 1.5, 1.3, 0.1}, 1, 64);
      law.blocks[0].norm = norm;
      const Real step = 1e-4;
      const Real change = (1 - of(law, 1 - step)[1].cosine) / step;
      EXPECT_NEAR(of(law, 1)[1].slope, change, 1e-3) << activation;
    }
}

/// Plain relu nets at criticality: c′ = (sin θ + (π − θ) cos θ)/π, θ = acos c; χ_1 = 1.
TEST(TheoryCorrelation, PlainRelu) {
  NetworkLaw law = net({BranchForm::dense, "relu", 1, 2}, 3, 64);
  for (BlockLaw& block : law.blocks) block.skip = 0;
  const auto states = of(law, 0.3);
  Real cosine = 0.3;
  const Real pi = std::acos(-1.0);
  for (std::size_t l = 1; l < states.size(); ++l) {
    const Real angle = std::acos(cosine);
    cosine = (std::sin(angle) + (pi - angle) * cosine) / pi;
    EXPECT_NEAR(states[l].cosine, cosine, 1e-12);
    EXPECT_NEAR(states[l].slope, 1, 1e-12);
  }
}

TEST(TheoryCorrelation, NothingHappensWhereBranchesAreOff) {
  const auto states = of(net({BranchForm::mlp, "tanh", 0, 1.5}, 4, 64), -0.4);
  EXPECT_NEAR(states.back().cosine, -0.4, 1e-15);
  EXPECT_EQ(states.back().slope, 1);
  EXPECT_THROW(of(net({}, 1, 64), 1.5), UsageError);
}

TEST(TheoryCorrelation, BeyondTheRangeOfDoubles) {
  const auto states = of(net({BranchForm::mlp, "relu", 1, 2}, 2000, 64), 0.1);
  EXPECT_GT(states.back().cosine, 0.999);
  EXPECT_LE(states.back().cosine, 1);
}

}  // namespace
}  // namespace rezero::theory
