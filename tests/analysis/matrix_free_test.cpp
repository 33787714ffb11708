/// Cells whose J is never formed, against the same cells with it.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

SweepPlan tokens_plan(const std::string& scheme, Index tokens, Index width, std::vector<Index> depths) {
  SweepPlan plan;
  plan.schemes.emplace_back(scheme);
  plan.family = &families().at("transformer");
  plan.hidden_ratio = 4;
  plan.tokens.tokens = tokens, plan.tokens.attention.heads = plan.tokens.attention.kv_heads = 2;
  plan.depths = std::move(depths), plan.widths = {width}, plan.seeds = {3};
  plan.activations.emplace_back("gelu");
  return plan;
}

CellResult only_cell(const SweepPlan& plan, int threads = 1) {
  CellContext context;
  context.threads = threads;
  return run_cell(expand_cells(plan)[0], plan.analysis, context);
}

Real value_of(const ScaledReal& x) {
  return x.to_real().value();
}

/// The k largest by products, and as the full spectrum has them, at each depth.
void expect_same_top(SweepPlan plan) {
  const CellResult full = only_cell(plan);
  plan.analysis.method = "spectra", plan.analysis.top = 3;
  ASSERT_EQ(expand_cells(plan)[0].route.form, JacobianForm::map);
  const CellResult top = only_cell(plan);
  ASSERT_TRUE(top.failures.empty()) << top.failures[0].message;
  ASSERT_EQ(top.depths.size(), full.depths.size());
  for (std::size_t d = 0; d < top.depths.size(); ++d) {
    const DepthResult &want = full.depths[d], &got = top.depths[d];
    EXPECT_EQ(got.depth, want.depth);
    EXPECT_EQ(got.blocks, want.blocks);
    EXPECT_EQ(got.rows, want.rows);
    EXPECT_EQ(got.cols, want.cols);
    EXPECT_EQ(got.output_error, want.output_error);
    EXPECT_FALSE(got.frobenius_square || got.identity_error);
    ASSERT_EQ(got.spectrum.sigma.size(), 3u);
    const Real largest = value_of(want.spectrum.sigma[0]);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(value_of(got.spectrum.sigma[i]), value_of(want.spectrum.sigma[i]), 1e-11 * largest);
    for (std::size_t m = 0; m < metrics().size(); ++m) {
      const std::string name((metrics().begin() + static_cast<std::ptrdiff_t>(m))->name);
      if (name == "sigma_max") {
        EXPECT_NEAR(got.metrics[m].value(), want.metrics[m].value(), 1e-11 * largest);
      }
      if (name == "mean_square" || name == "stable_rank" || name == "mean_log_sigma") {
        EXPECT_FALSE(got.metrics[m]) << name;
      }
    }
  }
}

TEST(LawMatrixFree, LargestValuesAtEveryDepth) {
  expect_same_top(tokens_plan("pre-ln", 20, 12, {1, 3}));
  expect_same_top(tokens_plan("post-ln", 20, 12, {2}));
}

TEST(LawMatrixFree, ThroughTheFinalNorm) {
  SweepPlan plan = tokens_plan("pre-ln", 20, 12, {2});
  plan.analysis.final_norm = true;
  expect_same_top(plan);
}

TEST(LawMatrixFree, PartsOfJ) {
  for (const TokenView view : {TokenView{4, {}}, TokenView{{}, 7}, TokenView{4, 7}}) {
    SweepPlan plan = tokens_plan("pre-ln", 9, 16, {2});
    plan.analysis.view = view;
    expect_same_top(plan);
  }
}

TEST(SlowMatrixFree, SameBytesOnAnyThread) {
  SweepPlan plan = tokens_plan("pre-ln", 20, 12, {2});
  plan.analysis.method = "spectra", plan.analysis.top = 2;
  EXPECT_EQ(only_cell(plan, 1).depths[0].spectrum.sigma, only_cell(plan, 3).depths[0].spectrum.sigma);
  plan = tokens_plan("pre-ln", 44, 48, {1});
  plan.analysis.method = "density";
  EXPECT_EQ(only_cell(plan, 1).depths[0].spectrum.density->cdf,
            only_cell(plan, 3).depths[0].spectrum.density->cdf);
}

/// Positions, heads and rows of bases in parts: as many whatever the threads.
TEST(SlowMatrixFree, SameBytesInParts) {
  for (const Index kv_heads : {2, 1}) {
    SweepPlan plan = tokens_plan("pre-ln", 150, 64, {1});
    plan.tokens.attention.kv_heads = kv_heads;
    plan.analysis.method = "spectra", plan.analysis.top = 2;
    EXPECT_EQ(only_cell(plan, 1).depths[0].spectrum.sigma, only_cell(plan, 3).depths[0].spectrum.sigma);
  }
}

/// What memory leaves no room for is made anew: no bit shows it.
TEST(MatrixFree, KeptBlocksDoNotShow) {
  SweepPlan plan = tokens_plan("pre-ln", 20, 12, {2});
  plan.analysis.method = "spectra", plan.analysis.top = 2;
  const Cell cell = expand_cells(plan)[0];
  CellContext little, much;
  little.memory = 1;
  EXPECT_EQ(run_cell(cell, plan.analysis, little).depths[0].spectrum.sigma,
            run_cell(cell, plan.analysis, much).depths[0].spectrum.sigma);
}

TEST(MatrixFree, WhichFormIsChosen) {
  constexpr Real much = 1e15;
  const auto form = [&](const std::string& method, Index top, Index bottom, Index tokens, Real memory) {
    SweepPlan plan = tokens_plan("pre-ln", tokens, 64, {4});
    plan.analysis.method = method, plan.analysis.top = top, plan.analysis.bottom = bottom;
    plan.analysis.max_memory = memory;
    return expand_cells(plan)[0].route.form;
  };
  EXPECT_EQ(form("auto", 0, 0, 1024, 1), JacobianForm::dense);  // then refused for memory
  EXPECT_EQ(form("auto", 3, 0, 2, much), JacobianForm::dense);
  EXPECT_EQ(form("auto", 3, 0, 2, 1e6), JacobianForm::map);
  EXPECT_EQ(form("auto", 3, 0, 1024, much), JacobianForm::map);
  EXPECT_EQ(form("auto", 3, 1, 1024, much), JacobianForm::dense);
  EXPECT_EQ(form("auto", 0, 1, 1024, 1e9), JacobianForm::map);
  EXPECT_EQ(form("dense", 3, 0, 1024, 1), JacobianForm::dense);
  EXPECT_EQ(form("spectra", 3, 0, 2, much), JacobianForm::map);
  EXPECT_EQ(form("spectra", 3, 1, 2, much), JacobianForm::dense);
  EXPECT_EQ(form("density", 0, 0, 2, much), JacobianForm::dense);
  EXPECT_EQ(form("density", 0, 0, 2, 1e6), JacobianForm::map);
  EXPECT_EQ(form("density", 0, 0, 32, much), JacobianForm::map);
}

TEST(MatrixFree, CostsGrowAsTheyShould) {
  const auto route = [](const std::string& method, Index top, Index tokens) {
    SweepPlan plan = tokens_plan("pre-ln", tokens, 256, {12});
    plan.analysis.method = method, plan.analysis.top = top;
    plan.analysis.max_memory = 20e9;
    return expand_cells(plan)[0].route;
  };
  EXPECT_GT(route("dense", 10, 128).bytes, 4 * 8.0 * 32768 * 32768);
  EXPECT_LT(route("spectra", 10, 128).bytes, 300e6);  // n = 32768 without J
  EXPECT_LT(route("spectra", 10, 128).flops, route("dense", 10, 128).flops / 10);
  EXPECT_EQ(route("auto", 10, 128).method, "spectra");
  EXPECT_EQ(route("auto", 10, 1).method, "dense");
}

/// What saves time is kept beside the need: nothing where memory ends, all blocks where it does not.
TEST(MatrixFree, KeptBlocksAreToldApart) {
  SweepPlan plan = tokens_plan("pre-ln", 64, 32, {4});
  plan.analysis.method = "spectra", plan.analysis.top = 1;
  const Route route = expand_cells(plan)[0].route;
  EXPECT_EQ(route.kept_blocks(1), 0);
  EXPECT_EQ(route.kept_blocks(route.bytes), 0);
  EXPECT_EQ(route.kept_blocks(route.bytes + 1.5 * route.bytes_per_kept_block), 1);
  EXPECT_EQ(route.kept_blocks(1e12), 8);
  EXPECT_GT(route.bytes_per_kept_block, 64 * 32 * sizeof(Real));
}

/// Whether `auto` may turn to J's factors depends on the work and on the memory that the plan names; what it
/// may take then counts.
TEST(MatrixFree, RoomForFactors) {
  SweepPlan plan;
  plan.schemes.emplace_back("plain");
  plan.family = &families().at("mlp");
  plan.activations.emplace_back("relu");
  plan.depths = {64};
  plan.widths = {256};
  plan.seeds = {0};
  const Route any = expand_cells(plan)[0].route;
  EXPECT_TRUE(any.uses_factors);
  EXPECT_EQ(any.method, "dense");
  EXPECT_EQ(any.factors_missing(0), std::nullopt);
  EXPECT_EQ(any.kept_blocks(1e12), 0);  // auto may not need them
  plan.analysis.max_memory = any.bytes;
  EXPECT_TRUE(expand_cells(plan)[0].route.uses_factors);
  plan.analysis.max_memory = any.bytes - 1;
  const Route without = expand_cells(plan)[0].route;
  EXPECT_FALSE(without.uses_factors);
  EXPECT_EQ(without.factors_missing(0).value(), "there is no room");
  EXPECT_EQ(without.kept_blocks(1e12), 0);
  const Real states = 64 * (256 * sizeof(Real) + 64.0);
  EXPECT_EQ(any.bytes - without.bytes, 12.0 * 256 * 256 * sizeof(Real) + states);
  plan.analysis.method = "product";
  plan.analysis.max_memory.reset();
  EXPECT_EQ(expand_cells(plan)[0].route.kept_blocks(1e12), 64);
  plan.analysis.method = "dense";
  EXPECT_EQ(expand_cells(plan)[0].route.bytes, without.bytes);
  EXPECT_EQ(expand_cells(plan)[0].route.factors_missing(0).value(), "");
  plan.analysis.method = "auto";
  plan.analysis.max_memory.reset();
  plan = tokens_plan("pre-ln", 16, 64, {12});
  const Route expensive = expand_cells(plan)[0].route;
  EXPECT_FALSE(expensive.uses_factors);
  EXPECT_EQ(expensive.factors_missing(0).value(), "8 times the work of a dense spectrum is too much");
}

TEST(SlowMatrixFree, DensityOfACell) {
  SweepPlan plan = tokens_plan("pre-ln", 32, 32, {2});
  plan.analysis.method = "density";
  const CellResult result = only_cell(plan);
  ASSERT_EQ(result.depths.size(), 1u);
  const Spectrum& s = result.depths[0].spectrum;
  EXPECT_EQ(s.part, SpectrumPart::density);
  ASSERT_TRUE(s.density);
  for (const auto& metric : result.depths[0].metrics) EXPECT_TRUE(!metric || *metric >= 0);
  EXPECT_TRUE(s.sigma.empty());
}

}  // namespace
}  // namespace rezero
