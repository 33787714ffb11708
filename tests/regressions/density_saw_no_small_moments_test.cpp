/// The density's mean of σ⁴ underflowed to zero, a unit vector that J all but annihilates was reported as an
/// error, and 600 values took minutes although computing all of them takes less than a second.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

Spectrum density_of(const StackPtr& stack, bool final_norm) {
  AnalysisOptions options;
  options.method = "density", options.final_norm = final_norm;
  return run_stack(stack, {stack->blocks() / stack->blocks_per_layer()}, options).depths.at(0).spectrum;
}

TEST(Regression, DensityOfAStackWhoseSquaresUnderflow) {
  testing::StackText text;
  text.family = "glu", text.width = 4;
  const Spectrum s = density_of(testing::stack(text, 39, 8), true);
  ASSERT_TRUE(s.density && s.density->mean_fourth) << s.message;
  EXPECT_NEAR(s.density->mean_fourth->to_real().value(), 2.0272e-4, 1e-8);
}

TEST(Regression, DensityOfAnAlmostSingularJacobian) {
  StackSpec spec = testing::stack_spec({"plain", "preactivation", 3, "erf"});
  spec.input = {InputLaw::values, (Vector(3) << 0.5, -0.5, 6).finished()};
  const Spectrum s = density_of(build_stack(spec, 0, 1), false);
  ASSERT_TRUE(s.density) << s.message;
  EXPECT_TRUE(s.density->converged);
  EXPECT_NEAR(s.density->cdf.front(), 1.0 / 3, 1e-12) << "one value is below what is resolved";
}

TEST(Regression, DensityOfFewValuesTakesThemAll) {
  testing::StackText text;
  text.width = 600;
  const Spectrum s = density_of(testing::stack(text, 0, 1), false);
  ASSERT_TRUE(s.density) << s.message;
  EXPECT_EQ(s.density->probes, 0);
  EXPECT_NE(s.provenance.choice.find("all its values"), std::string::npos) << s.provenance.choice;
}

}  // namespace
}  // namespace rezero
