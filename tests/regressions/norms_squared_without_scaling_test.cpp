/// Norms summed unscaled squares: states above 1e154 were divided by infinity and became zeros that were
/// reported as proved, and small ones lost their digits. The same happened to Admin's variances.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

DepthResult last_of(const CellResult& result) {
  EXPECT_TRUE(result.failures.empty()) << result.failures.front().message;
  return result.depths.empty() ? DepthResult{} : result.depths.back();
}

DepthResult analyzed(const testing::StackText& text, Index depth, std::uint64_t seed,
                     const AnalysisOptions& options = {}) {
  return last_of(run_cell(Cell(0, testing::stack_spec(text), seed, {depth}, options), options));
}

/// A stack of one block.
DepthResult analyzed(const BlockParts& parts, const Vector& x, const AnalysisOptions& options = {}) {
  return last_of(run_stack(make_stack({parts}, x), {1}, options));
}

Real largest(const DepthResult& result) {
  return result.spectrum.sigma.at(0).to_real().value_or(0);
}

/// Values from 50-digit arithmetic.
TEST(NormsSquaredWithoutScaling, FinalNormOfGatedStacks) {
  AnalysisOptions options;
  options.final_norm = true;
  const std::pair<std::uint64_t, Real> table[] = {{1, 7.49059}, {4, 36.0616}};
  for (const auto& [seed, wanted] : table) {
    const DepthResult got = analyzed({"residual", "glu", 8}, 10, seed, options);
    EXPECT_NEAR(largest(got), wanted, 1e-5 * wanted) << seed;
    EXPECT_EQ(got.spectrum.null_directions, 1) << seed;
  }
}

TEST(NormsSquaredWithoutScaling, NormBeforeABranchOfAHugeState) {
  const DepthResult got = analyzed({"pre-ln", "mlp", 4, "relu", "gaussian:sigma_w=1e78"}, 2, 0);
  EXPECT_NEAR(largest(got) / 4.7786e155, 1, 1e-5);
}

/// J of y = x/rms x: two values 1/rms x, and a zero along x.
TEST(NormsSquaredWithoutScaling, ZerosThatWereCalledProved) {
  for (Real size : {1e160, 1e300, 1e-160, 1e-300}) {
    BlockParts parts;
    parts.shape = {3, 1};
    parts.branch = &branches().at("linear");
    parts.weights[Role::linear] = {testing::share(Matrix(Matrix::Identity(3, 3))), nullptr};
    parts.pre_norm = NormSpec::of("rms_norm", 0);
    parts.skip_scale = Scale::number(0);
    Vector x(3);
    x << 1, -0.5, 0.3;
    const DepthResult got = analyzed(parts, size * x);
    const Real wanted = 1 / std::sqrt(x.squaredNorm() / 3);
    ASSERT_TRUE(got.spectrum.resolved(1)) << size;
    for (std::size_t i : {0, 1})
      EXPECT_NEAR(got.spectrum.sigma[i].to_real().value_or(0) * size, wanted, 1e-13) << size;
  }
}

TEST(NormsSquaredWithoutScaling, BatchNormMadeABranchTheIdentity) {
  testing::StackText text{"residual", "conv", 4, "relu", "gaussian:sigma_w=1e160"};
  text.conv.image = {2, 2};
  text.conv.norm = NormSpec::of("batch_norm");
  AnalysisOptions options;
  options.checks.emplace_back(parse_named_spec("identity"));
  options.spectrum = false;
  EXPECT_FALSE(analyzed(text, 1, 0, options).checks.at(0).pass);
}

/// Of the second block: √Var F, compared with which Var x is negligible.
TEST(NormsSquaredWithoutScaling, VariancesOfAdmin) {
  const auto omega = [](const char* scheme, const char* init) {
    return testing::stack({scheme, "mlp", 6, "relu", init}, 1, 3)->block(1)->parts().skip_scale.values(0);
  };
  const Real huge = omega("admin:form=paper", "gaussian:sigma_w=1e80"),
             unit = omega("admin:form=paper", "gaussian:sigma_w=1");
  EXPECT_NEAR(huge / unit / 1e160, 1, 1e-12);
  EXPECT_NEAR(omega("admin", "gaussian:sigma_w=1e80") / huge, 1, 1e-12);
}

/// A state close to the limit of double in a stack that is not homogeneous, after its final norm: the
/// derivative 1/s alone would take the products below 1e-308.
TEST(NormsSquaredWithoutScaling, FinalNormKeepsItsDerivative) {
  BlockParts parts;
  parts.shape = {3, 1};
  parts.branch = &branches().at("dense");
  parts.activation = Activation("softplus");
  parts.weights[Role::linear] = {testing::share(Matrix(1e-3 * Matrix::Identity(3, 3))), nullptr};
  Vector x(3);
  x << 1, -0.5, 0.3;
  AnalysisOptions options;
  options.final_norm = true;
  const DepthResult got = analyzed(parts, 1e306 * x, options);
  EXPECT_TRUE(got.spectrum.accuracy.certified);
  EXPECT_EQ(got.spectrum.null_directions, 1);
  EXPECT_GT(got.spectrum.sigma.at(0).log10(), -306.5);
}

}  // namespace
}  // namespace rezero
