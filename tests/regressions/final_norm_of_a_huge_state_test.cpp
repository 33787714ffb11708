/// The final norm was evaluated at the state as a double, which is infinite if a homogeneous stack carries it
/// as mantissa and exponent.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, FinalNormOfAHugeState) {
  BlockParts parts;
  parts.shape = {5, 1};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(Matrix(Matrix::Identity(5, 5))),
                                 nullptr};  // every block doubles
  AnalysisOptions options;
  options.final_norm = true;
  const StackPtr stack = make_stack(std::vector<BlockParts>(3000, parts), testing::normal(5, 1));
  const CellResult got = run_stack(stack, {1, 3000}, options);
  ASSERT_TRUE(got.failures.empty()) << got.failures[0].message;
  const Vector x = stack->input();
  const Real s = std::sqrt((x.array() - x.mean()).square().mean());
  for (const DepthResult& depth : got.depths) {
    EXPECT_EQ(depth.spectrum.null_directions, 1);
    EXPECT_NEAR(*depth.spectrum.sigma[0].to_real(), 1 / s, 1e-5 / s) << depth.depth;  // 2^e N'(2^e x) = N'(x)
  }
}

/// A linear norm keeps the exponent: N(2^e x) = 2^e N(x).
TEST(Regression, LinearFinalNormOfAHugeState) {
  BlockParts parts;
  parts.shape = {5, 1};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(Matrix(Matrix::Identity(5, 5))), nullptr};
  parts.pre_norm = NormSpec::of("mean_subtraction");  // every block doubles what has mean zero
  AnalysisOptions options;
  options.final_norm = true;
  const StackPtr stack = make_stack(std::vector<BlockParts>(3000, parts), testing::normal(5, 1));
  const CellResult got = run_stack(stack, {3000}, options);
  ASSERT_TRUE(got.failures.empty()) << got.failures[0].message;
  const DepthResult& last = got.depths[0];
  EXPECT_EQ(last.spectrum.null_directions, 1);
  EXPECT_NEAR(last.spectrum.sigma[0].log10(), 3000 * std::log10(2.0), 1e-10);
  const Vector x = stack->input();
  EXPECT_NEAR(last.output_error->log10(),
              3000 * std::log10(2.0) + std::log10((x.array() - x.mean()).abs().maxCoeff()), 1e-10);
}

}  // namespace
}  // namespace rezero
