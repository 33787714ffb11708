#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/random/sample.h"
#include "theory/networks.h"

namespace rezero {
namespace {

using namespace theory;
using testing::DeepNet;
using testing::free_law;
using testing::network;
using testing::relative_variance;

constexpr BranchForm pre = BranchForm::preactivation;

SpectralLaw cavity_law(const DeepNet& net, const Vector& input = {}) {
  const NetworkLaw law = network(net);
  return cavity(cavity_blocks(law, mean_field(law), input).value(), GaussianIntegrals(law.activation), input);
}

Real gap(const SpectralLaw& a, const SpectralLaw& b) {
  Real largest = 0;
  for (Real p = 0.01; p < 1; p += 0.01)
    largest = std::max(largest, std::abs(b.cumulative(a.quantile(p)) - p));
  return largest;
}

/// Without masks, or with one block, nothing persists: the cavity equations and the march share no code.
TEST(Cavity, IsTheFreeLawWhereNothingPersists) {
  for (const DeepNet& net :
       {DeepNet{pre, "identity", 1, 0.5}, DeepNet{pre, "identity", 5, 0.4}, DeepNet{pre, "identity", 4, 1},
        DeepNet{pre, "relu", 1, 0.5, 2}, DeepNet{pre, "tanh", 1, 0.8, 1.5}}) {
    const SpectralLaw law = cavity_law(net), free = free_law(network(net));
    EXPECT_LE(gap(free, law), 1.5e-3) << net.activation << " L " << net.depth;
    EXPECT_NEAR(law.mass, 1, 2e-3);
    EXPECT_NEAR(law.upper.log_square, free.upper.log_square, 0.01 * (1 + free.upper.log_square));
    EXPECT_NEAR(law.upper.scale.value() / free.upper.scale.value(), 1, 0.1);
  }
}

/// Moments of K = JᵀJ by the recursion over Cov(φ′(x_k)², φ′(x_l)²), computed independently. Sample paths
/// make an error of about 1/√1536 in each covariance.
TEST(ReferenceCavity, SecondMoments) {
  const struct {
    DeepNet net;
    Real spread;
  } rows[] = {{{pre, "relu", 16, .25, 2}, 2.295},          {{pre, "gelu", 16, .25, 2}, 2.292},
              {{pre, "tanh", 16, .25, 1.5, 1, .1}, 1.335}, {{pre, "erf", 16, .5}, 3.937},
              {{pre, "tanh", 16, 1, 1.5, 1, .1}, 10.89},   {{pre, "relu", 8, 1, 2}, 9.224}};
  for (const auto& row : rows) {
    const NetworkLaw net = network(row.net);
    const SpectralLaw law = cavity_law(row.net);
    Real mean = 0;
    for (const BlockState& state : mean_field(net).blocks) mean += std::log(state.factor);
    EXPECT_NEAR(law.log_moment(1), mean, 2e-3) << row.net.activation;
    EXPECT_NEAR(relative_variance(law) / row.spread, 1, 0.025) << row.net.activation;
    EXPECT_NEAR(law.mass, 1, 1e-3);
    EXPECT_GT(gap(free_law(net), law), 0.01);  // which the free law is not
  }
}

/// Deep in the tail of a critical stack the iteration hardly contracts.
TEST(Cavity, ReachesTheTailOfCriticalStacks) {
  const SpectralLaw law = cavity_law({pre, "relu", 12, 1, 2});
  EXPECT_NEAR(law.mass, 1, 1e-3);
  EXPECT_NEAR(law.log_moment(1), 12 * std::log(2.0), 2e-3);
  EXPECT_NEAR(*law.mean_log_square(), 0, 0.05);
  EXPECT_LT(law.quantile(0.01), -15);
}

/// All entries positive: relu is linear until the stream has turned.
TEST(Cavity, AGivenInputCounts) {
  const DeepNet net{pre, "relu", 1, 0.5, 1};
  const SpectralLaw linear = free_law(network({BranchForm::linear, "identity", 1, 0.5}));
  EXPECT_LE(gap(linear, cavity_law(net, Vector::Constant(40, 1.0))), 1.5e-3);
  EXPECT_GT(gap(linear, cavity_law(net)), 0.05);
  // the entries' order does not matter, and a large normal sample is as good as the normal law
  Vector normal = normal_vector(4000, {5, 0, 1});
  const SpectralLaw one = cavity_law({pre, "relu", 3, 0.5, 2}, normal),
                    turned = cavity_law({pre, "relu", 3, 0.5, 2}, normal.reverse());
  EXPECT_EQ(one.above, turned.above);
  EXPECT_LE(gap(one, cavity_law({pre, "relu", 3, 0.5, 2})), 0.02);
}

TEST(Cavity, IsDeterministic) {
  const SpectralLaw a = cavity_law({pre, "tanh", 3, 0.5}), b = cavity_law({pre, "tanh", 3, 0.5});
  EXPECT_EQ(a.log_square, b.log_square);
  EXPECT_EQ(a.above, b.above);
}

TEST(Cavity, OnlyForItsOwnStacks) {
  const auto blocks = [](const NetworkLaw& law) { return cavity_blocks(law, mean_field(law)); };
  EXPECT_TRUE(blocks(network({pre, "relu", 2, 0.5})));
  EXPECT_FALSE(blocks(network({BranchForm::dense, "relu", 2, 0.5})));
  EXPECT_FALSE(blocks(network({pre, "relu", 2, 0.5, 1, 1, 0, 1, Ensemble::haar})));
  EXPECT_FALSE(blocks(
      network({pre, "relu", 2, 0.5, 1, 1, 0, 1, Ensemble::independent, NormPlacement::before_branch})));
  NetworkLaw other = network({pre, "relu", 2, 0.5});
  other.normal_input = false;
  EXPECT_FALSE(blocks(other));
  EXPECT_TRUE(cavity_blocks(other, mean_field(other), Vector::Ones(3)));
  EXPECT_EQ(cavity_law({pre, "relu", 2, 0}).method, "point");
  const GaussianIntegrals relu{Activation("relu")};
  EXPECT_THROW(cavity({{-1, 1, 1}}, relu), UsageError);
  EXPECT_THROW(cavity({{1, 0, 1}}, relu), UsageError);
  EXPECT_THROW(cavity({{1, 2, 1}, {1, 1, 1}}, relu), UsageError);
  EXPECT_THROW(cavity({{1, 1, 1}}, relu, Vector::Constant(2, std::nan(""))), UsageError);
}

}  // namespace
}  // namespace rezero
