/// A spectrum was certified against J as formed, in which the values had cancelled, so rounding error was
/// published as singular values. Resolved values now satisfy their claim, and others are reported as
/// unresolved.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "rezero/io/file.h"
#include "rezero/io/stack_file.h"
#include "support/stacks.h"

namespace rezero {
namespace {

StackPtr stack_in(const std::string& name) {
  const std::string path = std::string(REZERO_TEST_DATA) + "/regressions/data/" + name + ".safetensors";
  return parse_stack_file(read_file(path, 1 << 20), path);
}

DepthResult last_of(const StackPtr& stack, const AnalysisOptions& options) {
  CellResult result = run_stack(stack, {stack->blocks()}, options);
  EXPECT_TRUE(result.failures.empty());
  return std::move(result.depths.at(0));
}

AnalysisOptions with_method(const std::string& method, bool final_norm = false) {
  AnalysisOptions options;
  options.method = method, options.final_norm = final_norm;
  return options;
}

StackPtr residual(Index width, Index depth) {
  testing::StackText text;
  text.width = width;
  return testing::stack(text, 0, depth);
}

/// Compares each resolved value with the truth, to within its claim.
void expect_claims_hold(const Spectrum& s, const std::vector<Real>& truth) {
  ASSERT_EQ(s.sigma.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!s.resolved(i)) continue;
    const Real sigma = s.sigma[i].to_real().value();
    const Real claim = s.accuracy.relative_error_estimate
                           ? *s.accuracy.relative_error_estimate * sigma
                           : s.accuracy.relative_resolution * s.sigma_max.to_real().value();
    EXPECT_LE(std::abs(sigma - truth[i]), claim + 1e-9 * truth[0]) << i;  // the truth has ten digits
  }
}

/// σ = 6.533e-13, then values below 1e-15 that depend on how the states were rounded, and one exact zero.
TEST(Regression, FinalNormCancelledADeepStack) {
  for (const char* method : {"auto", "dense", "product", "bdcsvd", "jacobi"}) {
    const DepthResult depth = last_of(residual(4, 160), with_method(method, true));
    const Spectrum& s = depth.spectrum;
    EXPECT_NEAR(s.sigma[0].to_real().value(), 6.533e-13, 1e-15) << method;
    EXPECT_TRUE(s.resolved(0)) << method;
    EXPECT_FALSE(s.resolved(1)) << method;
    EXPECT_EQ(s.null_directions, 1) << method;
    EXPECT_EQ(s.unresolved(), 2) << method;
    EXPECT_GT(s.accuracy.forming_error, 1e-3) << method;
    EXPECT_FALSE(depth.frobenius_square) << method << ": the mean square would be that of rounding";
  }
}

/// The norm of the product spectrum was compared with that of a J that was less accurate.
TEST(Regression, ProductWasRejectedForTheNoiseOfJ) {
  const Spectrum s = last_of(residual(16, 400), with_method("product", true)).spectrum;
  EXPECT_NEAR(s.sigma[0].to_real().value(), 5.25236e-10, s.accuracy.relative_resolution * 5.26e-10);
  EXPECT_LT(s.accuracy.relative_resolution, 1e-2);
  EXPECT_TRUE(s.resolved(0));
  EXPECT_FALSE(s.resolved(1)) << "below what rounding of the last state lets the norm tell apart";
  for (const Fallback& fallback : s.provenance.fallbacks)
    EXPECT_EQ(fallback.reason.find("||s||_2"), std::string::npos) << fallback.reason;
}

TEST(Regression, PairOfBlocksThatCancel) {
  for (const char* method : {"auto", "dense", "product"}) {
    const Spectrum s = last_of(stack_in("cancelling_pair"), with_method(method)).spectrum;
    EXPECT_EQ(s.unresolved(), 0) << method;
    expect_claims_hold(s, {1.0000000008, 0.999999996355});
  }
}

/// J = lcm(1, …, 23) I, formed from entries of 1e16.
TEST(Regression, HilbertMatrixTimesItsInverse) {
  for (const char* method : {"auto", "dense", "product"}) {
    const DepthResult depth = last_of(stack_in("hilbert_times_inverse"), with_method(method));
    expect_claims_hold(depth.spectrum, std::vector<Real>(12, 5354228880.0));
    const Spectrum& s = depth.spectrum;
    EXPECT_GT(s.accuracy.relative_resolution, 0.03) << "3 % of the formed J are rounding";
  }
  AnalysisOptions top = with_method("dense");
  top.top = 1;
  const Spectrum s = last_of(stack_in("hilbert_times_inverse"), top).spectrum;
  EXPECT_TRUE(s.resolved(0) || s.extremal == Extremal::not_applicable) << "nothing is known of the largest";
}

TEST(Regression, PostNormOfHugeWeightsIsRounding) {
  testing::StackText text;
  text.scheme = "post-ln", text.width = 4, text.init = "gaussian:sigma_w=1e10";
  const Spectrum s = last_of(testing::stack(text, 0, 2), with_method("auto")).spectrum;
  for (std::size_t i = 0; i < s.sigma.size(); ++i) EXPECT_FALSE(s.resolved(i)) << "the truth is 7.67e-20";
}

/// A sweep of the factors that loses values states a bound on them: σ = 1.005e18, six times 1, 0.99499.
TEST(Regression, BoundOfRepeatedValuesWasFalse) {
  for (const char* method : {"auto", "product"}) {
    const Spectrum s = last_of(stack_in("outlier_over_ones"), with_method(method)).spectrum;
    ASSERT_TRUE(s.resolved(0));
    EXPECT_NEAR(s.sigma[0].to_real().value() / 1.0050378152592122e18, 1, 1e-12);
    for (std::size_t i = 1; i < 8; ++i) {
      if (s.resolved(i)) {
        EXPECT_NEAR(s.sigma[i].to_real().value(), i < 7 ? 1 : 0.99499, 1e-5) << i;
      } else {
        EXPECT_GE(s.accuracy.relative_resolution * 1.0050378152592122e18, i < 7 ? 1 : 0.99499) << i;
      }
    }
  }
}

/// Without cancellation the previous claims hold, within the cost of forming any J.
TEST(Regression, OrdinaryStacksKeepTheirDigits) {
  for (const char* scheme : {"depth-power", "fixed:alpha=0.1", "rezero", "residual"}) {
    testing::StackText text;
    text.scheme = scheme, text.width = 32;
    const Spectrum s = last_of(testing::stack(text, 0, 8), with_method("dense")).spectrum;
    EXPECT_LE(s.accuracy.forming_error, 1e-13) << scheme;
    if (text.scheme == "rezero") {
      EXPECT_EQ(s.accuracy.relative_resolution, 0) << "the identity is exact";
    }
  }
}

/// A zero on the left is not a zero value of J if J has rows to spare.
TEST(Regression, NullDirectionsOfATallJacobian) {
  testing::StackText text;
  text.scheme = "pre-ln", text.family = "transformer", text.width = 4;
  text.tokens.tokens = 3;
  AnalysisOptions options = with_method("product", true);
  options.view.wrt = 1;
  const Spectrum s = run_stack(testing::stack(text, 3, 2), {2}, options).depths.at(0).spectrum;
  EXPECT_EQ(s.null_directions, 0) << "12 rows less 3 null directions, 4 columns";
  EXPECT_EQ(s.dimension, 4);
}

}  // namespace
}  // namespace rezero
