#include "rezero/theory/network_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

StackSpec spec(const char* scheme, const char* family, const char* init = "he") {
  StackSpec spec(scheme, family);
  spec.width = 32;
  spec.initializer = Initializer(init);
  return spec;
}

NetworkLaw law_of(const StackSpec& spec, Index depth = 4) {
  Described described = describe(spec, depth);
  EXPECT_TRUE(described.law) << described.reason;
  return described.law.value_or(NetworkLaw{});
}

std::string reason(const StackSpec& spec, Index depth = 4) {
  const Described described = describe(spec, depth);
  EXPECT_FALSE(described.law);
  return described.reason;
}

TEST(NetworkLaw, FormsAndStrengths) {
  NetworkLaw law = law_of(spec("residual", "linear", "gaussian:sigma_w=1.5:sigma_b=0.5"));
  EXPECT_EQ(law.width, 32);
  ASSERT_EQ(law.blocks.size(), 4u);
  EXPECT_EQ(law.blocks[0].form, BranchForm::linear);
  EXPECT_NEAR(law.blocks[0].weight, 2.25, 1e-14);
  EXPECT_NEAR(law.blocks[3].bias, 0.25, 1e-14);
  EXPECT_TRUE(law.activation.is_identity());
  EXPECT_EQ(law.input_square, 1);
  EXPECT_EQ(law.input_mean, 0);
  EXPECT_TRUE(law.normal_input);

  law = law_of(spec("fixed:alpha=0.25", "dense"));
  EXPECT_EQ(law.blocks[0].form, BranchForm::dense);
  EXPECT_NEAR(law.blocks[0].weight, 2, 1e-14);
  EXPECT_EQ(law.blocks[0].scale, 0.25);
  EXPECT_EQ(law_of(spec("residual", "preactivation")).blocks[0].form, BranchForm::preactivation);

  StackSpec wide = spec("residual", "mlp");
  wide.hidden_ratio = 4;
  law = law_of(wide);
  EXPECT_EQ(law.blocks[0].form, BranchForm::mlp);
  EXPECT_NEAR(law.blocks[0].weight, 2, 1e-14);
  EXPECT_NEAR(law.blocks[0].weight2, 2, 1e-14);
  EXPECT_EQ(law.blocks[0].gamma, 4);
  wide.initializer = Initializer("torch-default");  // variance 1/(3 fan_in), biases alike
  law = law_of(wide);
  EXPECT_NEAR(law.blocks[0].weight, 1.0 / 3, 1e-14);
  EXPECT_NEAR(law.blocks[0].bias, 1.0 / (3 * 32), 1e-14);
  EXPECT_NEAR(law.blocks[0].bias2, 1.0 / (3 * 128), 1e-14);
}

TEST(NetworkLaw, OrthogonalWeights) {
  StackSpec orthogonal = spec("residual", "mlp", "orthogonal");
  const NetworkLaw law = law_of(orthogonal);
  EXPECT_EQ(law.blocks[0].ensemble, Ensemble::haar);
  EXPECT_NEAR(law.blocks[0].weight, 1, 1e-14);
  orthogonal.hidden_ratio = 2;
  EXPECT_EQ(reason(orthogonal), "orthogonal weights that are not square");
}

TEST(NetworkLaw, Schemes) {
  EXPECT_EQ(law_of(spec("plain", "dense")).blocks[0].skip, 0);
  NetworkLaw law = law_of(spec("gated:a=0.25", "mlp"));
  EXPECT_EQ(law.blocks[0].skip, 0.75);
  EXPECT_EQ(law.blocks[0].scale, 0.25);
  law = law_of(spec("depth-power:p=0.5", "mlp"), 16);
  EXPECT_NEAR(law.blocks[7].scale, 0.25, 1e-15);
  law = law_of(spec("normalized-sum", "linear"));
  EXPECT_NEAR(law.blocks[0].skip, std::sqrt(0.5), 1e-15);
  law = law_of(spec("pre-ln", "mlp", "he"));
  EXPECT_EQ(law.blocks[0].norm, NormPlacement::before_branch);
  EXPECT_TRUE(law.blocks[0].centered);
  EXPECT_EQ(law.blocks[0].epsilon, 1e-5);
  law = law_of(spec("post-ln:norm=rms", "mlp"));
  EXPECT_EQ(law.blocks[0].norm, NormPlacement::after_sum);
  EXPECT_FALSE(law.blocks[0].centered);
  law = law_of(spec("layernorm-scaling", "mlp"));
  EXPECT_NEAR(law.blocks[3].weight, 2.0 / 4, 1e-14);  // the norm's l^(−1/2) goes into the weight
  law = law_of(spec("mix-ln:ratio=0.5", "mlp"));
  EXPECT_EQ(law.blocks[1].norm, NormPlacement::after_sum);
  EXPECT_EQ(law.blocks[2].norm, NormPlacement::before_branch);
  law = law_of(spec("layerscale:epsilon=0.1", "mlp"));
  EXPECT_EQ(law.blocks[0].scale, 0.1);
  law = law_of(spec("deepnorm", "mlp"));
  EXPECT_NEAR(law.blocks[0].skip, std::pow(8, 0.25), 1e-14);
}

TEST(NetworkLaw, BranchesThatAreOff) {
  NetworkLaw law = law_of(spec("rezero", "mlp"));
  EXPECT_EQ(law.blocks[0].scale, 0);
  EXPECT_TRUE(law.blocks[0].off());
  EXPECT_FALSE(law.blocks[0].unknown_branch);  // F is known, and so is the gradient of α
  law = law_of(spec("fixup", "mlp"));
  EXPECT_EQ(law.blocks[0].weight2, 0);
  EXPECT_EQ(law.blocks[0].scale, 1);
  EXPECT_TRUE(law.blocks[0].off());
  for (const char* family : {"attention", "transformer", "glu", "glu-transformer", "conv"}) {
    law = law_of(spec("rezero", family));
    for (const BlockLaw& block : law.blocks) EXPECT_TRUE(block.off()) << family;
    EXPECT_TRUE(law.blocks[0].unknown_branch) << family;
  }
  StackSpec tied = spec("rezero", "mlp");
  tied.tied = true;
  EXPECT_TRUE(law_of(tied).blocks[0].unknown_branch);
  EXPECT_TRUE(law_of(spec("adaln-zero", "transformer")).blocks[0].off());
  law = law_of(spec("branchnorm", "transformer"));  // LN(x + 0 F(x))
  EXPECT_EQ(law.blocks[0].norm, NormPlacement::after_sum);
}

TEST(NetworkLaw, ReasonsWithoutLaw) {
  EXPECT_EQ(reason(spec("residual", "attention")), "attention with a softmax");
  EXPECT_EQ(reason(spec("residual", "transformer")), "attention with a softmax");
  EXPECT_EQ(reason(spec("residual", "glu")), "branch 'glu'");
  EXPECT_EQ(reason(spec("residual", "conv")), "convolutions");
  EXPECT_EQ(reason(spec("peri-ln", "mlp")), "a norm after the branch");
  EXPECT_EQ(reason(spec("depth-mup", "dense")), "a norm after the branch");
  EXPECT_EQ(reason(spec("normformer", "mlp")), "a norm inside the branch");
  EXPECT_EQ(reason(spec("dyt", "mlp")), "norm 'dynamic_tanh'");
  EXPECT_EQ(reason(spec("admin", "mlp")), "scales that are measured in a first pass");
  EXPECT_EQ(reason(spec("ngpt", "mlp")), "a norm after the branch");
  StackSpec tied = spec("residual", "mlp");
  tied.tied = true;
  EXPECT_EQ(reason(tied), "tied weights");
  StackSpec scaled = spec("layernorm-scaling", "preactivation");
  EXPECT_NEAR(law_of(scaled).blocks[3].weight, 0.5, 1e-14);  // relu: the factor passes through
  scaled.activation = Activation("tanh");
  EXPECT_EQ(reason(scaled), "a scaled norm before the activation");
  StackSpec ones = spec("residual", "preactivation");
  ones.input.law = InputLaw::ones;
  EXPECT_EQ(reason(ones), "a preactivation branch with an input that is not normal");
}

TEST(NetworkLaw, Inputs) {
  StackSpec given = spec("residual", "dense");
  given.width = 2;
  given.input.law = InputLaw::values;
  given.input.values = Vector{{3, 1}};
  NetworkLaw law = law_of(given);
  EXPECT_EQ(law.input_square, 5);
  EXPECT_EQ(law.input_mean, 2);
  EXPECT_FALSE(law.normal_input);
  StackSpec tokens = spec("residual", "mlp");
  tokens.width = 2, tokens.tokens.tokens = 2;
  tokens.input.law = InputLaw::values;
  tokens.input.values = Vector{{3, 1, 1, 3}};
  EXPECT_EQ(law_of(tokens).input_square, 5);
  tokens.input.values(0) = 4;
  EXPECT_EQ(reason(tokens), "given tokens of different size");
  given.input.law = InputLaw::ones;
  EXPECT_EQ(law_of(given).input_mean, 1);
}

/// Every scheme with every family: a law, or a reason in words.
TEST(NetworkLaw, EveryCombinationHasALawOrAReason) {
  for (const Scheme& scheme : schemes())
    for (const Family& family : families()) {
      const StackSpec each{SchemeSpec(scheme.name), family};
      try {
        const Described described = describe(each, 3);
        EXPECT_NE(described.law.has_value(), !described.reason.empty()) << scheme.name << ' ' << family.name;
        if (!described.law) continue;
        EXPECT_EQ(described.law->blocks.size(), 3 * family.blocks.size());
        for (const BlockLaw& block : described.law->blocks) {
          EXPECT_TRUE(std::isfinite(block.weight) && block.weight >= 0) << scheme.name << ' ' << family.name;
          EXPECT_TRUE(std::isfinite(block.weight2) && block.weight2 >= 0);
        }
      } catch (const UsageError&) {  // they do not fit
      }
    }
}

}  // namespace
}  // namespace rezero::theory
