/// Product spectra of whole stacks: against the exact stacks (see tests/reference/README.md), against each
/// other, and under `auto`. Prints the tables of docs/accuracy.md with
///   analysis_test --gtest_filter='*ProductSpectra*'

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "io/strict_json.h"
#include "rezero/analysis/sweep.h"
#include "rezero/io/file.h"
#include "rezero/io/stack_file.h"
#include "support/reference_data.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

using testing::reference_file;

CellResult run(const StackPtr& stack, const std::vector<Index>& depths, AnalysisOptions options) {
  return run_stack(stack, depths, options);
}

CellResult run(const StackPtr& stack, const std::vector<Index>& depths, const std::string& method) {
  AnalysisOptions options;
  options.method = method;
  return run(stack, depths, options);
}

/// Largest relative error of the values that the spectrum resolves; how many those are.
struct Agreement {
  Real error = 0;
  Index resolved = 0;
};

Agreement agreement(const Spectrum& spectrum, const std::vector<Real>& log_sigma) {
  Agreement found;
  for (std::size_t i = 0; i < log_sigma.size(); ++i) {
    if (!spectrum.resolved(i)) continue;
    ++found.resolved;
    found.error = std::max(found.error, std::abs(std::expm1(spectrum.sigma[i].log() - log_sigma[i])));
  }
  return found;
}

void compare(const std::string& name, const DepthResult& product, const DepthResult& dense,
             const Json& expected) {
  const auto exact = expected["log_sigma_exact"].get<std::vector<Real>>();
  const auto zeros = product.spectrum.dimension - static_cast<Index>(exact.size());
  const Agreement by_product = agreement(product.spectrum, exact),
                  by_dense = agreement(dense.spectrum, exact);
  std::printf("| %s | %d | %.1f | %.1e | %.1e | %d of %d | %.1e | %d of %d |\n", name.c_str(),
              static_cast<int>(product.depth), (exact.front() - exact.back()) / std::log(10.0),
              by_product.error, product.spectrum.accuracy.relative_error_estimate.value_or(NAN),
              static_cast<int>(by_product.resolved), static_cast<int>(exact.size()), by_dense.error,
              static_cast<int>(by_dense.resolved), static_cast<int>(exact.size()));
  EXPECT_EQ(product.spectrum.provenance.method, "product");
  EXPECT_TRUE(product.spectrum.accuracy.certified);
  EXPECT_EQ(by_product.resolved, static_cast<Index>(exact.size())) << name;
  EXPECT_EQ(product.spectrum.null_directions, zeros) << name;
  EXPECT_EQ(product.spectrum.unresolved(), 0) << name;
  EXPECT_LT(by_product.error, 1e-8) << name;
}

TEST(ReferenceProductSpectra, ExactStacks) {
  for (const char* name :
       {"deep_plain_exact", "deep_residual_exact", "deep_post_ln_exact", "overflow_residual_exact"}) {
    const Json expected = testing::reference_json(std::string(name) + ".json");
    const StackPtr stack =
        parse_stack_file(read_file(reference_file(std::string(name) + ".safetensors")), name);
    std::vector<Index> depths;
    for (const Json& depth : expected["depths"]) depths.push_back(depth["depth"].get<Index>());
    const CellResult product = run(stack, depths, "product"), dense = run(stack, depths, "dense");
    ASSERT_TRUE(product.failures.empty()) << name << ": " << product.failures.front().message;
    for (std::size_t d = 0; d < depths.size(); ++d)
      compare(name, product.depths[d], dense.depths[d], expected["depths"][d]);
  }
}

StackPtr stack_of(const std::string& scheme, Index width, Index depth, const char* activation = "tanh") {
  testing::StackText text;
  text.scheme = scheme, text.width = width, text.activation = activation;
  return testing::stack(text, 1, depth);
}

const Spectrum& only(const CellResult& result) {
  EXPECT_TRUE(result.failures.empty());
  return result.depths.at(0).spectrum;
}

TEST(ProductSpectra, AutoChoosesByTheCondition) {
  const Spectrum deep = only(run(stack_of("plain", 24, 60), {60}, "auto"));
  EXPECT_EQ(deep.provenance.method, "product");
  EXPECT_EQ(deep.unresolved(), 0);
  EXPECT_NE(deep.provenance.choice.find("dense method would hide"), std::string::npos)
      << deep.provenance.choice;
  const Spectrum shallow = only(run(stack_of("rezero", 24, 60), {60}, "auto"));
  EXPECT_NE(shallow.provenance.method, "product");
  const Spectrum good = only(run(stack_of("fixed:alpha=0.1", 24, 8), {8}, "auto"));
  EXPECT_EQ(good.provenance.method, "dense");
  EXPECT_NE(good.provenance.choice.find("ten digits"), std::string::npos) << good.provenance.choice;
  EXPECT_FALSE(good.accuracy.relative_error_estimate);
}

TEST(ProductSpectra, AutoLooksAtWhatWasAskedFor) {
  AnalysisOptions top;
  top.top = 2;
  EXPECT_EQ(only(run(stack_of("plain", 24, 12), {12}, top)).provenance.method, "dense");
  AnalysisOptions bottom;
  bottom.bottom = 2;
  const Spectrum low = only(run(stack_of("plain", 24, 60), {60}, bottom));
  EXPECT_EQ(low.provenance.method, "product");
  ASSERT_EQ(low.sigma.size(), 2u);
  const Spectrum all = only(run(stack_of("plain", 24, 60), {60}, "product"));
  EXPECT_EQ(low.sigma[1], all.sigma.back());
}

TEST(ProductSpectra, AgreesWithDenseWhereDenseIsRight) {
  for (const char* scheme : {"fixed:alpha=0.3", "post-ln", "pre-ln", "depth-power"}) {
    const StackPtr stack = stack_of(scheme, 20, 6, "gelu");
    const Spectrum dense = only(run(stack, {6}, "dense")), product = only(run(stack, {6}, "product"));
    EXPECT_EQ(product.null_directions, dense.null_directions) << scheme;
    for (std::size_t i = 0; i < dense.sigma.size(); ++i)
      if (dense.resolved(i)) {
        const Real difference = std::abs(std::expm1(product.sigma[i].log() - dense.sigma[i].log()));
        EXPECT_LT(difference * std::exp(dense.sigma[i].log() - dense.sigma[0].log()), 1e-14) << scheme << i;
      }
  }
}

TEST(ProductSpectra, ThroughTheFinalNorm) {
  AnalysisOptions options;
  options.final_norm = true;
  const StackPtr stack = stack_of("pre-ln", 12, 5);
  options.method = "dense";
  const Spectrum dense = only(run(stack, {5}, options));
  options.method = "product";
  const Spectrum product = only(run(stack, {5}, options));
  EXPECT_EQ(product.null_directions, 1);
  EXPECT_NEAR(product.sigma[0].log(), dense.sigma[0].log(), 1e-13);
  const Real resolution =
      1e-14 * std::exp(dense.sigma[0].log() - dense.sigma[10].log());  // of the dense value
  EXPECT_NEAR(product.sigma[10].log(), dense.sigma[10].log(), resolution);
}

/// Columns of one position, rows of another: the same spectrum as that of the block of J, dense.
TEST(ProductSpectra, OfOnePositionByAnother) {
  testing::StackText text;
  text.scheme = "pre-ln", text.family = "transformer", text.width = 8;
  text.tokens.tokens = 3, text.tokens.attention.heads = 2;
  const StackPtr stack = testing::stack(text, 1, 2);
  for (int views = 1; views < 4; ++views) {
    AnalysisOptions options;
    if (views & 1) options.view.wrt = 0;
    if (views & 2) options.view.of = 2;
    options.method = "dense";
    const Spectrum dense = only(run(stack, {2}, options));
    options.method = "product";
    const Spectrum product = only(run(stack, {2}, options));
    ASSERT_EQ(product.sigma.size(), dense.sigma.size());
    for (std::size_t i = 0; i < dense.sigma.size(); ++i)
      if (dense.resolved(i)) {
        EXPECT_NEAR(product.sigma[i].log(), dense.sigma[i].log(), 1e-10) << views << i;
      }
  }
}

TEST(ProductSpectra, IdentityBitwise) {
  const Spectrum spectrum = only(run(stack_of("rezero", 10, 30), {30}, "product"));
  for (const ScaledReal& sigma : spectrum.sigma) EXPECT_EQ(sigma, ScaledReal::make(1));
}

/// Rows of relu masks: proved zeros are counted, and no other value is lost.
TEST(ProductSpectra, MasksOfPlainRelu) {
  testing::StackText text;
  text.scheme = "plain", text.family = "dense", text.width = 16;
  const Spectrum spectrum = only(run(testing::stack(text, 3, 25), {25}, "product"));
  EXPECT_GT(spectrum.null_directions, 0);
  EXPECT_EQ(spectrum.unresolved(), 0);
}

struct Line {
  Real slope = 0, worst = 0;
};

/// Least squares through log₁₀ of the smallest value that is not a proved zero, against depth.
Line fit(const CellResult& result) {
  const auto count = static_cast<Index>(result.depths.size());
  Vector x(count), y(count);
  for (Index d = 0; d < count; ++d) {
    const DepthResult& depth = result.depths[static_cast<std::size_t>(d)];
    const Spectrum& s = depth.spectrum;
    EXPECT_EQ(s.unresolved(), 0);
    x(d) = static_cast<Real>(depth.depth);
    y(d) = s.sigma[static_cast<std::size_t>(s.dimension - s.null_directions - 1)].log10();
    std::printf("  depth %3d: log10 sigma_min %9.2f, estimate %.1e\n", static_cast<int>(depth.depth), y(d),
                s.accuracy.relative_error_estimate.value_or(NAN));
  }
  const Vector dx = x.array() - x.mean(), dy = y.array() - y.mean();
  const Real slope = dx.dot(dy) / dx.squaredNorm();
  return {slope, (dy - slope * dx).cwiseAbs().maxCoeff() / (y(0) - y(count - 1))};
}

/// No floor at 1e-16: with every layer the smallest value loses the same number of decades.
void expect_straight(const std::string& scheme, const char* activation, Index width) {
  const std::vector<Index> depths = {40, 80, 120, 160, 200};
  std::printf("%s, %s, n = %d\n", scheme.c_str(), activation, static_cast<int>(width));
  const Line line = fit(run(stack_of(scheme, width, 200, activation), depths, "product"));
  std::printf("  slope %.3f decades a block, worst residual %.1e of the range\n", line.slope, line.worst);
  EXPECT_LT(200 * line.slope, -16);
  EXPECT_LT(line.worst, 0.1);
}

TEST(SlowProductSpectra, SmallestValueFallsInAStraightLine) {
  expect_straight("post-ln", "gelu", 64);
  expect_straight("plain", "tanh", 64);
}

}  // namespace
}  // namespace rezero
