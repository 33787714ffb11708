/// Cells whose J is formed by rows, against the same cells with J formed by columns, as a profile needs it.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"

namespace rezero {
namespace {

SweepPlan one_token_of(Index tokens, const std::string& scheme, const std::string& family) {
  SweepPlan plan;
  plan.schemes.emplace_back(scheme);
  plan.family = &families().at(family);
  plan.hidden_ratio = 2;
  plan.tokens.tokens = tokens;
  plan.tokens.attention.heads = plan.tokens.attention.kv_heads = 2;
  plan.depths = {3}, plan.widths = {8}, plan.seeds = {5};
  plan.activations.emplace_back("gelu");
  plan.analysis.view.of = tokens - 1;
  return plan;
}

CellResult only_cell(const SweepPlan& plan, bool by_rows) {
  const CellList cells = expand_cells(plan);
  const Cell cell = cells[0];
  EXPECT_EQ(cell.route.by_rows, by_rows);
  CellContext context;
  context.memory = 1e9;
  return run_cell(cell, plan.analysis, context);
}

void expect_same(SweepPlan plan) {
  const CellResult rows = only_cell(plan, true);
  plan.analysis.profile = true;
  const CellResult columns = only_cell(plan, false);
  ASSERT_TRUE(rows.failures.empty());
  ASSERT_EQ(rows.depths.size(), columns.depths.size());
  for (std::size_t d = 0; d < rows.depths.size(); ++d) {
    const DepthResult &got = rows.depths[d], &want = columns.depths[d];
    EXPECT_EQ(got.rows, want.rows);
    EXPECT_EQ(got.cols, want.cols);
    EXPECT_EQ(got.spectrum.null_directions, want.spectrum.null_directions);
    ASSERT_EQ(got.spectrum.sigma.size(), want.spectrum.sigma.size());
    const Real top = want.spectrum.sigma_max.to_real().value();
    for (std::size_t i = 0; i < got.spectrum.sigma.size(); ++i)
      EXPECT_NEAR(got.spectrum.sigma[i].to_real().value(), want.spectrum.sigma[i].to_real().value(),
                  1e-13 * top);
    EXPECT_EQ(got.spectrum.accuracy.certified, want.spectrum.accuracy.certified)
        << got.spectrum.message << " | " << want.spectrum.message;
    EXPECT_GT(got.forming_error, 0);
    EXPECT_LT(got.forming_error, 1e-12);
    for (std::size_t m = 0; m < metrics().size(); ++m) {
      ASSERT_EQ(got.metrics[m].has_value(), want.metrics[m].has_value()) << m;
      if (!got.metrics[m]) continue;
      const Real want_value = *want.metrics[m];
      EXPECT_NEAR(*got.metrics[m], want_value, 1e-10 * (1 + std::abs(want_value))) << m;
    }
  }
}

TEST(LawByRows, EqualToColumns) {
  expect_same(one_token_of(12, "pre-ln", "transformer"));
  expect_same(one_token_of(12, "residual", "glu-transformer"));
  SweepPlan plan = one_token_of(9, "post-ln", "attention");
  plan.depths = {1, 2};
  expect_same(plan);
}

TEST(LawByRows, ThroughTheFinalNorm) {
  SweepPlan plan = one_token_of(12, "pre-ln", "transformer");
  plan.analysis.final_norm = true;
  expect_same(plan);
}

/// A relu that is off for all columns makes a row of zeros, which is not cancellation.
TEST(LawByRows, ZeroRowsAreProved) {
  SweepPlan plan = one_token_of(12, "plain", "dense");
  plan.activations = {Activation("relu")};
  const CellResult rows = only_cell(plan, true);
  Index zeros = 0;
  for (const ScaledReal& sigma : rows.depths.at(0).spectrum.sigma) zeros += sigma.is_zero() ? 1 : 0;
  EXPECT_GT(zeros, 0);
  expect_same(plan);
}

/// Products with the transpose need fewer columns at one depth, not at many.
TEST(ByRows, OnlyWhereItSavesWork) {
  SweepPlan plan = one_token_of(12, "pre-ln", "transformer");
  EXPECT_TRUE(expand_cells(plan)[0].route.by_rows);
  plan.depths = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_FALSE(expand_cells(plan)[0].route.by_rows);
  plan = one_token_of(3, "pre-ln", "transformer");
  EXPECT_FALSE(expand_cells(plan)[0].route.by_rows);
  plan = one_token_of(12, "pre-ln", "transformer");
  plan.analysis.view.of = std::nullopt;
  EXPECT_FALSE(expand_cells(plan)[0].route.by_rows);
}

}  // namespace
}  // namespace rezero
