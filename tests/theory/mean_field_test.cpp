#include "rezero/theory/mean_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"
#include "support/theory_laws.h"

namespace rezero::theory {
namespace {

using testing::net;
using testing::NetText;

Real log_m1(const MeanField& field) {
  Real sum = 0;
  for (const BlockState& block : field.blocks) sum += std::log(block.factor);
  return sum;
}

/// A value to as many digits as the table prints.
void expect_digits(Real computed, Real printed, Real unit, const std::string& what) {
  EXPECT_NEAR(computed, printed, 0.5 * unit + 1e-12) << what;
}

/// Predictions of an independent implementation (numpy, 80-point Gauss–Legendre rules): final q and m1 of 16
/// blocks from q_0 = 1.
TEST(MeanField, GrowthOfSixteenBlocks) {
  const struct {
    NetText net;
    Real square, square_unit, m1, m1_unit;
  } table[] = {
      {{BranchForm::linear, "identity", 0.25}, 2.638, 1e-3, 2.638, 1e-3},
      {{BranchForm::linear, "identity", 1}, 6.554e4, 10, 6.554e4, 10},
      {{BranchForm::dense, "tanh", 0.25, 1.5, 1, 0.1}, 1.514, 1e-3, 1.687, 1e-3},
      {{BranchForm::dense, "tanh", 1, 1.5, 1, 0.1}, 12.34, 1e-2, 66.61, 1e-2},
      {{BranchForm::dense, "erf", 0.5}, 3.318, 1e-3, 5.257, 1e-3},
      {{BranchForm::preactivation, "erf", 0.5}, 3.318, 1e-3, 5.257, 1e-3},
      {{BranchForm::preactivation, "tanh", 1, 1.5, 1, 0.1}, 19.27, 1e-2, 80.86, 1e-2},
      {{BranchForm::mlp, "relu", 0.25, 2}, 2.638, 1e-3, 2.638, 1e-3},
      {{BranchForm::mlp, "relu", 1, 2}, 6.554e4, 10, 6.554e4, 10},
      {{BranchForm::mlp, "tanh", 1, 1.5, 1, 0.1}, 12.34, 1e-2, 66.61, 1e-2},
      {{BranchForm::mlp, "gelu", 0.25, 2, 1, 0.1}, 2.599, 1e-3, 2.645, 1e-3},
      {{BranchForm::mlp, "leaky_relu:slope=0.1", 0.25, 2, 1, 0.1}, 2.746, 1e-3, 2.663, 1e-3},
      {{BranchForm::dense, "relu", 0.25, 2}, 29.25, 1e-2, 2.638, 1e-3},
      {{BranchForm::dense, "relu", 1, 2}, 1.303e7, 1e4, 6.554e4, 10},
      {{BranchForm::dense, "gelu", 0.25, 2}, 21.04, 1e-2, 2.660, 1e-3},
      {{BranchForm::dense, "leaky_relu:slope=0.1", 0.25, 2}, 21.07, 1e-2, 2.663, 1e-3},
  };
  for (const auto& row : table) {
    const MeanField field = mean_field(net(row.net, 16, 300));
    const std::string what = std::string(row.net.activation) + ", alpha " + std::to_string(row.net.scale);
    expect_digits(field.final_square, row.square, row.square_unit, what + ": q");
    expect_digits(std::exp(log_m1(field)), row.m1, row.m1_unit, what + ": m1");
  }
}

TEST(MeanField, ScalarsOfForms) {
  NetworkLaw law = net({BranchForm::mlp, "tanh", 0.5, 1.5, 1.2, 0.1}, 1, 100);
  law.blocks[0].gamma = 2;
  const BlockState state = mean_field(law).blocks[0];
  const Expectations e = GaussianIntegrals(Activation("tanh")).at(1.6);
  EXPECT_EQ(state.argument, 1.6);
  EXPECT_NEAR(state.branch_slope, 1.5 * 1.2 * e.slope_square, 1e-15);
  EXPECT_NEAR(state.branch_square, 1.2 * e.square, 1e-15);
  EXPECT_NEAR(state.eta, 1 + e.kurtosis() / 2, 1e-14);
  EXPECT_NEAR(state.ratio, 0.25 * state.branch_slope, 1e-15);
  law.blocks[0].ensemble = Ensemble::haar;
  EXPECT_NEAR(mean_field(law).blocks[0].eta, e.kurtosis() - 1, 1e-14);
}

TEST(MeanField, Norms) {
  // Behind a norm the branch does not see q: q_l = 1 + l α² v, and χ falls as 1/q.
  NetworkLaw law = net({BranchForm::mlp, "relu", 1, 2}, 16, 256);
  for (BlockLaw& block : law.blocks) block.norm = NormPlacement::before_branch, block.centered = true;
  const MeanField before = mean_field(law);
  EXPECT_NEAR(before.blocks[12].square, 13, 1e-13);
  EXPECT_NEAR(before.blocks[12].ratio, 1.0 / 13, 1e-14);
  for (BlockLaw& block : law.blocks) block.norm = NormPlacement::after_sum;
  const MeanField after = mean_field(law);
  EXPECT_NEAR(after.blocks[5].factor, 1, 1e-14);
  EXPECT_NEAR(after.final_square, 1, 1e-14);
  // ε counts: all ones have no spread, so that a layer norm divides by √ε.
  law.input_mean = 1;
  for (BlockLaw& block : law.blocks) block.norm = NormPlacement::before_branch, block.epsilon = 1e-5;
  const BlockState ones = mean_field(law).blocks[0];
  EXPECT_EQ(ones.argument, 0);
  law.activation = Activation("tanh");
  EXPECT_NEAR(mean_field(law).blocks[0].branch_slope, 2 / 1e-5, 1e-6);
}

TEST(MeanField, StreamsBeyondTheRangeOfDoubles) {
  const MeanField field = mean_field(net({BranchForm::mlp, "relu", 1, 2}, 2000, 64));
  EXPECT_NEAR(log_m1(field), 2000 * std::log(2.0), 1e-9);
  EXPECT_NEAR(field.square(2000).log(), 2000 * std::log(2.0), 1e-9);
  EXPECT_NEAR(field.square(1000).log(), 1000 * std::log(2.0), 1e-9);
  // Far out gelu is relu.
  const MeanField gelu = mean_field(net({BranchForm::mlp, "gelu", 1, 2}, 2000, 64));
  EXPECT_NEAR(gelu.square(2000).log() - gelu.square(1000).log(), 1000 * std::log(2.0), 1e-9);
  EXPECT_NEAR(gelu.blocks[1500].ratio, 1, 1e-14);
  const MeanField dense = mean_field(net({BranchForm::dense, "relu", 1, 2}, 1000, 64));
  EXPECT_TRUE(std::isfinite(log_m1(dense)));
  EXPECT_GT(dense.square(1000).log(), 1000 * std::log(2.0));
  // Plain nets shrink.
  NetworkLaw plain = net({BranchForm::dense, "relu", 1, 0.5}, 2000, 64);
  for (BlockLaw& block : plain.blocks) block.skip = 0;
  EXPECT_NEAR(log_m1(mean_field(plain)), 2000 * std::log(0.25), 1e-9);
  EXPECT_NEAR(mean_field(plain).square(2000).log(), 2000 * std::log(0.25), 1e-9);
  try {
    mean_field(net({BranchForm::mlp, "relu_squared", 1, 2}, 64, 64));
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("beyond the range of doubles"), std::string::npos);
  }
}

TEST(MeanField, BranchesThatAreOff) {
  const MeanField zero = mean_field(net({BranchForm::mlp, "tanh", 0, 1.5, 1, 0.1}, 3, 64));
  for (const BlockState& block : zero.blocks) {
    EXPECT_EQ(block.ratio, 0);
    EXPECT_EQ(block.factor, 1);
    EXPECT_EQ(block.square, 1);
    EXPECT_GT(block.branch_square, 0.4);
  }
}

}  // namespace
}  // namespace rezero::theory
