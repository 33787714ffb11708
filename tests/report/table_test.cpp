/// The readable formats.
#include <gtest/gtest.h>

#include <sstream>

#include "fixtures.h"
#include "report/number_text.h"
#include "report/spectrum_strip.h"

namespace rezero {
namespace {

using namespace test;
using namespace detail;

TEST(NumberText, FourDigitsAndExactWholes) {
  EXPECT_EQ(short_number(1), "1");
  EXPECT_EQ(short_number(1.00000001), "1.000");
  EXPECT_EQ(short_number(0.5632), "0.5632");
  EXPECT_EQ(short_number(3690.4), "3690");
  EXPECT_EQ(short_number(-1.234e-8), "-1.23e-8");
  EXPECT_EQ(short_number(9.999e-5), "1.00e-4");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_power(400.5), "3.16e400");
  EXPECT_EQ(short_power(-1), "0.1000");
}

TEST(NumberText, UncertaintyCountsInLastDigits) {
  EXPECT_EQ(uncertain_number(7.166, 0.12), "7.17(12)");
  EXPECT_EQ(uncertain_number(7.166, std::nullopt), "7.166");
  EXPECT_EQ(uncertain_number(1, 0.0), "1");
  EXPECT_EQ(uncertain_number(1.5e-8, 2e-9), "1.50(20)e-8");
  EXPECT_EQ(uncertain_number(1, 1e-9), "1");
  EXPECT_EQ(uncertain_number(27663, 4018), "27663(4018)");
}

TEST(SpectrumStrip, DrawsOnASharedLogarithmicAxis) {
  SpectrumStrip strip;
  strip.set_width(21);
  strip.include({-2.0, 0.0, 2.0});
  EXPECT_EQ(strip.axis(), "1e-2      1       1e2");
  EXPECT_EQ(strip.draw({-1.0, 0.0, 1.0}), "     ├────●────┤");
  EXPECT_EQ(strip.draw({0.0, 0.0, 0.0}), "          ●");
  EXPECT_EQ(strip.draw({std::nullopt, std::nullopt, 0.0}), "‹─────────┤");
  EXPECT_EQ(strip.draw({}), "          ┊");
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
  return width;
}

TEST(ReportTable, FitsInOneHundredColumns) {
  PlanOptions options = small_options();
  options.depth = std::vector<Index>{1, 64}, options.scheme = {"plain", "residual", "rezero"};
  EXPECT_LE(widest(run_and_write(plan_of(options), "table")), 100u);
  options.seed = std::vector<std::uint64_t>{0, 1, 2, 3};
  const std::string text = run_and_write(plan_of(options), "table");
  EXPECT_LE(widest(text), 100u);
  EXPECT_NE(text.find("4 seeds"), std::string::npos);
  EXPECT_NE(text.find("rezero   x' = x + "), std::string::npos);
}

TEST(NumberText, LongLinesAreWrappedAtSpaces) {
  EXPECT_EQ(wrapped("a b c", 20, 2), "a b c");
  EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("one · two · three", 11, 4), "one · two ·\n    three") << "a separator ends its line";
  EXPECT_EQ(wrapped("one · two and three", 16, 2), "one ·\n  two and three") << "short pieces stay whole";
  EXPECT_EQ(wrapped("incompressible text", 5, 1), "incompressible\n text");
  EXPECT_EQ(wrapped("", 5, 1), "");
}

TEST(ReportTable, LongFormulasOfSchemesAreWrapped) {
  PlanOptions options = transformer_options();
  options.scheme = {"t-fixup", "mix-ln", "normformer", "sub-ln", "admin", "derf"};
  options.causal = true, options.rope = true, options.qk_norm = "rms_norm", options.final_norm = true;
  options.width = std::vector<Index>{8, 16}, options.activation = {"gelu_tanh", "silu"};
  const std::string text = run_and_write(plan_of(options), "table");
  EXPECT_LE(widest(text), 100u) << text;
  EXPECT_NE(text.find("init xavier"), std::string::npos);
}

TEST(ReportTable, TheSmallestValueBesideProvedZerosIsShown) {
  PlanOptions options = transformer_options();
  options.scheme = {"peri-ln"}, options.of = "token:0", options.final_norm = true;
  const std::string text = run_and_write(plan_of(options), "table");
  EXPECT_NE(text.find("3 tokens · 2 heads"), std::string::npos) << text;
  EXPECT_NE(text.find("final norm · of token:0"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 2 rows have up to 1 directions proved to be mapped to zero"), std::string::npos)
      << text;
  EXPECT_NE(text.find("*  "), std::string::npos) << text;
}

TEST(ReportTable, AMeanOverSomeSeedsIsNotShown) {
  SweepSummary summary;
  SummaryRow row{row_of(full_spectrum({ScaledReal::make(1)})).labels, 1, 1, {}, {}};
  row.metrics.resize(metrics().size());
  row.metrics[0] = {3.25, 0.5, 3.0, 3.5, 2};      // sigma_max
  row.metrics[1] = {1.125, {}, 1.125, 1.125, 1};  // sigma_min: one of the two seeds
  summary.rows = {row};
  const std::string text = written(plan_of(small_options()), "table", {}, summary);
  EXPECT_NE(text.find("3.25(50)"), std::string::npos);
  EXPECT_EQ(text.find("1.125"), std::string::npos);
}

TEST(ReportTable, FailuresAreListed) {
  CellResult failed;
  failed.labels.scheme = SchemeSpec("residual");
  failed.failures = {{3, "numerical", "block 2: the state\nis not finite"}};
  const std::string text = written(plan_of(small_options()), "table", {failed}, {});
  EXPECT_NE(text.find("failed: residual depth 3 seed 0: block 2: the state\\x0ais not finite\n"),
            std::string::npos);
}

TEST(VerdictTable, OneLineACheck) {
  PlanOptions options;
  options.scheme = {"rezero", "rezero:alpha=0.5"}, options.width = std::vector<Index>{4};
  options.depth = std::vector<Index>{3};
  const std::string text = run_and_write(plan_of(options, PlanUse::verify), "table");
  EXPECT_NE(text.find("PASS identity         rezero depth 3 seed 0: "), std::string::npos);
  EXPECT_NE(text.find("FAIL identity         rezero:alpha=0.5 depth 3 seed 0: "), std::string::npos);
  EXPECT_NE(text.find(" — block 0: branch scale 0.5 (and 2 more)\n"), std::string::npos);
  EXPECT_NE(text.find("1 of 6 checks fail\n"), std::string::npos);
}

}  // namespace
}  // namespace rezero
