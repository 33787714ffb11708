#include "rezero/analysis/aggregate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rezero {
namespace {

TEST(Summarize, ByHand) {
  const MetricSummary s = summarize({1, 2, 3, 6});
  EXPECT_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(*s.standard_error, std::sqrt((4.0 + 1 + 0 + 9) / 3 / 4));
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 6);
  EXPECT_EQ(s.count, 4);
}

TEST(Summarize, NoneAndOne) {
  const MetricSummary none = summarize({});
  EXPECT_EQ(none.count, 0);
  EXPECT_FALSE(none.mean || none.standard_error || none.min || none.max);
  for (Real value : {0.0, -3.25, 1e308, 5e-324}) {
    const MetricSummary one = summarize({value});
    EXPECT_EQ(one.mean, value);
    EXPECT_EQ(one.min, value);
    EXPECT_EQ(one.max, value);
    EXPECT_EQ(one.count, 1);
    EXPECT_FALSE(one.standard_error);
  }
}

TEST(Summarize, EqualSamplesHaveNoSpread) {
  for (Real value : {0.0, 0.1, -7.3, 1e300, 1e-310}) {
    const MetricSummary s = summarize({value, value, value});
    EXPECT_EQ(s.mean, value);
    EXPECT_EQ(s.standard_error, 0);
  }
}

TEST(Summarize, EndsOfTheRange) {
  const MetricSummary huge = summarize({1.5e308, -1.5e308, 1.2e308});
  EXPECT_NEAR(*huge.mean / 4e307, 1, 1e-15);
  EXPECT_NEAR(*huge.standard_error /
                  (1.5e308 *
                   std::sqrt((std::pow(11.0 / 15, 2) + std::pow(19.0 / 15, 2) + std::pow(8.0 / 15, 2)) / 6)),
              1, 1e-14);
  const MetricSummary tiny = summarize({1e-300, 3e-300});
  EXPECT_NEAR(*tiny.mean / 2e-300, 1, 1e-15);
  EXPECT_NEAR(*tiny.standard_error / 1e-300, 1, 1e-14);
}

CellResult cell(const char* scheme, std::uint64_t seed,
                std::vector<std::pair<Index, std::optional<Real>>> values) {
  CellResult result;
  result.labels.scheme = SchemeSpec(scheme);
  result.labels.family = "mlp";
  result.labels.seed = seed;
  for (const auto& [depth, value] : values) {
    DepthResult at;
    at.depth = at.blocks = depth;
    at.metrics.assign(metrics().size(), std::nullopt);
    at.metrics[0] = value;
    result.depths.push_back(std::move(at));
  }
  return result;
}

TEST(Aggregator, GroupsByAllButTheSeedInOrderOfAppearance) {
  Aggregator all;
  all.add(cell("residual", 1, {{1, 1}, {4, 10}}));
  all.add(cell("residual", 2, {{1, 3}, {4, std::nullopt}}));
  all.add(cell("fixed:alpha=0.5", 1, {{1, 7}}));
  all.add(cell("fixed", 1, {{1, 8}}));
  const std::vector<SummaryRow> rows = all.rows();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].labels.scheme->canonical(), "residual");
  EXPECT_EQ(rows[0].depth, 1);
  EXPECT_EQ(rows[0].metrics[0].mean, 2);
  EXPECT_EQ(rows[0].metrics[0].count, 2);
  EXPECT_EQ(rows[1].depth, 4);
  EXPECT_EQ(rows[1].metrics[0].mean, 10) << "a missing value is left out";
  EXPECT_EQ(rows[1].metrics[0].count, 1);
  EXPECT_EQ(rows[1].metrics[1].count, 0);
  EXPECT_FALSE(rows[1].metrics[1].mean);
  EXPECT_EQ(rows[2].labels.scheme->canonical(), "fixed:alpha=0.5");
  EXPECT_EQ(rows[3].labels.scheme->canonical(), "fixed");
  EXPECT_TRUE(Aggregator().rows().empty());
}

}  // namespace
}  // namespace rezero
