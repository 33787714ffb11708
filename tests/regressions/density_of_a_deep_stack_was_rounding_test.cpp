/// For a deep residual stack with one value far above all others, the density placed the others on a spike at
/// 1e-15 of it and reported convergence, although this was the rounding error of the products. For 16 values
/// it also used 9,375 probes.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, DensityOfADeepStackWasRounding) {
  testing::StackText text;
  text.scheme = "residual", text.width = 16;
  const StackPtr stack = testing::stack(text, 0, 1500);
  AnalysisOptions options;
  options.method = "product";
  const Spectrum exact = run_stack(stack, {1500}, options).depths.at(0).spectrum;
  ASSERT_GT(exact.sigma[0].log10() - exact.sigma[1].log10(), 16) << "one value far above";
  options.method = "density";
  const Spectrum s = run_stack(stack, {1500}, options).depths.at(0).spectrum;
  ASSERT_TRUE(s.density);
  EXPECT_EQ(s.density->probes, 0) << "all values were computed";
  EXPECT_NEAR(s.density->cdf.front(), 15.0 / 16, 1e-9);
  EXPECT_NEAR(s.density->log10_sigma.back(), exact.sigma[0].log10(), 0.1);
}

}  // namespace
}  // namespace rezero
