#include "rezero/theory/gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/theory/moments.h"
#include "support/theory_laws.h"

namespace rezero::theory {
namespace {

using testing::net;
using testing::NetText;

constexpr BranchForm dense = BranchForm::dense, preactivation = BranchForm::preactivation,
                     mlp = BranchForm::mlp;

NetworkLaw normed(const NetText& text, Index width, NormPlacement where) {
  NetworkLaw law = net(text, 16, width);
  for (BlockLaw& block : law.blocks) block.norm = where, block.centered = true;
  return law;
}

void expect_growth(const NetworkLaw& law, const std::vector<std::pair<Index, Real>>& printed,
                   const std::string& what) {
  const GradientLaw gradient = gradients(law, mean_field(law));
  for (const auto& [block, value] : printed)
    EXPECT_NEAR(std::exp(gradient.log_square[static_cast<std::size_t>(block)]), value,
                value >= 10 ? 0.005 : 0.0005)
        << what << ", block " << block;
  EXPECT_EQ(gradient.log_square.back(), 0);
}

TEST(TheoryGradients, GrowthFromTheOutput) {
  const auto none = NormPlacement::none, before = NormPlacement::before_branch,
             after = NormPlacement::after_sum;
  expect_growth(normed({mlp, "relu", 0.25, 2}, 256, none), {{0, 2.638}, {4, 2.070}, {8, 1.624}, {12, 1.274}},
                "relu");
  expect_growth(normed({mlp, "tanh", 0.25, 1.5}, 256, none),
                {{0, 1.709}, {4, 1.481}, {8, 1.292}, {12, 1.134}}, "tanh");
  expect_growth(normed({mlp, "relu", 1, 2}, 256, before), {{0, 17}, {4, 3.4}, {8, 1.889}, {12, 1.308}},
                "pre-LN relu");
  expect_growth(normed({mlp, "relu", 0.25, 2}, 256, before), {{0, 2}, {4, 1.6}, {8, 1.333}, {12, 1.143}},
                "pre-LN relu, small");
  expect_growth(normed({mlp, "tanh", 1, 1.5}, 256, before), {{0, 14.08}, {4, 3.872}, {8, 2.073}, {12, 1.367}},
                "pre-LN tanh");
  expect_growth(normed({mlp, "relu", 1, 2}, 256, after), {{0, .882}, {4, .910}, {8, .939}, {12, .969}},
                "post-LN relu");
  expect_growth(normed({mlp, "relu", 1, 2}, 1024, after), {{0, .969}, {8, .984}}, "post-LN relu, wide");
  expect_growth(normed({mlp, "tanh", 1, 1.5}, 1024, after), {{0, 3.547}, {8, 1.883}}, "post-LN tanh");
}

TEST(TheoryGradients, OutlierAndItsTail) {
  const NetworkLaw law = net({dense, "relu", 0.25, 2}, 16, 300);
  const MeanField field = mean_field(law);
  const GradientLaw gradient = gradients(law, field);
  EXPECT_NEAR(gradient.log_square[0], moments(law, field).log_m1, 1e-12);
  EXPECT_GT(gradient.log_square[4], 12 * std::log1p(1.0 / 16));
}

TEST(TheoryGradients, OfScales) {
  // At α = 0 the variance is that of the branch; dense branches have a mean.
  const struct {
    NetText net;
    Real variance, digits;
  } table[] = {{{mlp, "relu", 0, 2}, 1.000, 1e-3},
               {{mlp, "tanh", 0, 1.5}, .468, 5e-4},
               {{preactivation, "relu", 0, 2}, 1.000, 1e-3},
               {{dense, "relu", 0, 2}, 1.000, 1e-3},
               {{dense, "tanh", 0, 1.5}, .468, 5e-4}};
  for (const auto& row : table) {
    const NetworkLaw law = net(row.net, 4, 256);
    const GradientLaw gradient = gradients(law, mean_field(law));
    for (const auto& scale : gradient.scale) {
      ASSERT_TRUE(scale);
      EXPECT_NEAR(std::exp(scale->log_square), row.variance, row.digits) << row.net.activation;
    }
  }
  const NetworkLaw relu = net({dense, "relu", 0, 2}, 4, 256);
  const ScaleGradient gradient = *gradients(relu, mean_field(relu)).scale[1];
  EXPECT_NEAR(*gradient.mean, 1 / std::sqrt(std::acos(-1.0)), 1e-14);
  EXPECT_NEAR(std::exp(gradient.log_variance), 1 - 1 / std::acos(-1.0), 1e-14);
  NetworkLaw unknown = relu;
  unknown.blocks[2].unknown_branch = true;
  EXPECT_FALSE(gradients(unknown, mean_field(unknown)).scale[2]);
}

}  // namespace
}  // namespace rezero::theory
