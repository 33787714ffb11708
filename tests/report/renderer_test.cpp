#include "rezero/report/renderer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "fixtures.h"
#include "io/strict_json.h"
#include "report/swept_columns.h"

namespace rezero {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;

Json first_row(const SweepPlan& plan, const CellResult& result) {
  return Json::parse(written(plan, "json", {result}, {}))["results"][0];
}

SweepPlan plan_with_values(const char* mode) {
  PlanOptions options = small_options();
  options.values = mode;
  return plan_of(options);
}

TEST(Renderer, UnknownFormatsAndVerdictsInCsvAreUsageErrors) {
  const Output nowhere = [](std::string_view) {};
  EXPECT_THROW(make_renderer("jsn", ReportKind::report, nowhere), UsageError);
  EXPECT_THROW(make_renderer("csv", ReportKind::verdict, nowhere), UsageError);
  EXPECT_EQ(renderers().at("ndjson").emission, Emission::lines);
}

TEST(Renderer, ResolvedValuesThenNullsThenZeros) {
  Spectrum spectrum = full_spectrum(
      {ScaledReal::make(2), ScaledReal::make(0.1), ScaledReal::make(1e-17), ScaledReal::make(0)});
  spectrum.null_directions = 1;
  const Json linear = first_row(plan_with_values("linear"), row_of(spectrum));
  EXPECT_EQ(linear["singular_values"].dump(), "[2.0,0.1,null,0.0]");
  EXPECT_EQ(linear["status"], "unresolved");
  EXPECT_EQ(linear["spectrum"]["unresolved"], 1);
  const Json log10 = first_row(plan_with_values("log10"), row_of(spectrum));
  EXPECT_EQ(log10["log10_singular_values"].size(), 4u);
  EXPECT_DOUBLE_EQ(log10["log10_singular_values"][1].get<Real>(), -1);
  EXPECT_TRUE(log10["log10_singular_values"][3].is_null());
  EXPECT_FALSE(first_row(plan_with_values("none"), row_of(spectrum)).contains("singular_values"));
}

TEST(Renderer, ValuesOutOfRangeAreNullInLinearModeOnly) {
  const Spectrum spectrum = full_spectrum({ScaledReal::make(1, 4000), ScaledReal::make(1, 3999)});
  const Json linear = first_row(plan_with_values("linear"), row_of(spectrum));
  EXPECT_EQ(linear["status"], "out_of_range");
  EXPECT_EQ(linear["singular_values"].dump(), "[null,null]");
  EXPECT_EQ(linear["spectrum"]["out_of_range"], 2);
  EXPECT_EQ(first_row(plan_with_values("log10"), row_of(spectrum))["status"], "ok");
}

TEST(Renderer, ASpectrumThatBrokeDownHasNoValues) {
  Spectrum spectrum = full_spectrum({ScaledReal::make(1)});
  spectrum.status = SpectrumStatus::breakdown, spectrum.message = "why";
  const Json row = first_row(plan_with_values("linear"), row_of(spectrum));
  EXPECT_TRUE(row["singular_values"].is_null());
  EXPECT_EQ(row["status"], "breakdown");
  EXPECT_EQ(row["spectrum"]["message"], "why");
}

TEST(Renderer, NoNumberIsEverNonFinite) {
  CellResult result = row_of(full_spectrum({ScaledReal::make(1)}));
  result.depths[0].metrics[0] = std::numeric_limits<Real>::infinity();
  result.depths[0].metrics[1] = std::numeric_limits<Real>::quiet_NaN();
  const Json row = first_row(plan_with_values("linear"), result);
  EXPECT_TRUE(row["metrics"]["sigma_max"].is_null());
  EXPECT_TRUE(row["metrics"]["sigma_min"].is_null());
}

TEST(Renderer, DoublesReadBackExactly) {
  const std::vector<Real> values = {1.7976931348623157e308, 1e22, 1.0, 1.0 / 3, 2.2250738585072014e-308};
  std::vector<ScaledReal> sigma;
  for (const Real value : values) sigma.push_back(ScaledReal::make(value));
  Spectrum spectrum = full_spectrum(sigma);
  spectrum.accuracy.relative_resolution = 0;
  const Json row = first_row(plan_with_values("linear"), row_of(spectrum));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(row["singular_values"][i].get<Real>(), values[i]);
}

TEST(Renderer, TextFromOutsideIsEscaped) {
  CellResult result = row_of(full_spectrum({ScaledReal::make(1)}));
  result.labels.scheme.reset();
  result.labels.stack = "a\"b\\\n\x01\xff\xc3\xa9";
  EXPECT_EQ(first_row(plan_with_values("linear"), result)["stack"], "a\"b\\\n\x01\xef\xbf\xbd\xc3\xa9");
}

TEST(Renderer, StreamedLinesComeAtOnce) {
  const SweepPlan plan = plan_of(small_options());
  std::vector<std::string> pieces;
  const auto renderer = make_renderer("ndjson", ReportKind::report,
                                      [&](std::string_view piece) { pieces.emplace_back(piece); });
  renderer->begin({{}, &plan, plan_json(plan)});
  renderer->cell(row_of(full_spectrum({ScaledReal::make(1)})));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].substr(0, 19), "{\"kind\": \"result\", ");
  EXPECT_EQ(pieces[1].back(), '\n');
}

TEST(Renderer, LongArraysAreHandedOnInPieces) {
  const SweepPlan plan = plan_of(small_options());
  std::size_t longest = 0, total = 0;
  const auto renderer = make_renderer("json", ReportKind::report, [&](std::string_view piece) {
    longest = std::max(longest, piece.size()), total += piece.size();
  });
  renderer->begin({{}, &plan, plan_json(plan)});
  renderer->cell(row_of(full_spectrum(std::vector<ScaledReal>(200000, ScaledReal::make(1.0 / 3)))));
  EXPECT_GT(total, 3000000u);
  EXPECT_LT(longest, 100000u);
}

TEST(Renderer, CsvHasOneFieldForEachTitle) {
  PlanOptions options = small_options();
  options.family = "glu", options.depth = std::vector<Index>{1, 2000};
  const std::string text = run_and_write(plan_of(options), "csv");
  std::istringstream lines(text);
  std::size_t fields = 0, rows = 0, failed = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    EXPECT_EQ(line.back(), '\r');
    const std::size_t commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (rows == 0) fields = commas;
    failed += line.find(",failed,") != std::string::npos;
    const bool plain = line.find('"') == std::string::npos;
    EXPECT_TRUE(!plain || commas == fields) << line;
  }
  EXPECT_EQ(rows, 5u);
  EXPECT_GE(failed, 1u);
}

TEST(Renderer, CsvQuotesWhatNeedsIt) {
  CellResult result = row_of(full_spectrum({ScaledReal::make(1)}));
  result.labels.scheme.reset(), result.labels.stack = "a,\"b\"";
  EXPECT_NE(written(plan_of(small_options()), "csv", {result}, {}).find("\n,\"a,\"\"b\"\"\",,,mlp,"),
            std::string::npos);
}

Json rows_of(const PlanOptions& options) {
  return Json::parse(run_and_write(plan_of(options), "json"))["results"];
}

TEST(Renderer, TokensMultiplyTheDimension) {
  for (const Json& row : rows_of(transformer_options())) {
    EXPECT_EQ(row["width"], 8);
    EXPECT_EQ(row["tokens"], 3);
    EXPECT_EQ(row["dimension"], 24);
    EXPECT_EQ(row["blocks"], 2 * row["depth"].get<int>());
    EXPECT_EQ(row["singular_values"].size(), 24u);
    EXPECT_EQ(row["spectrum"]["null_directions"], 3) << "the mean over the features of each token";
    EXPECT_EQ(row["singular_values"].back(), 0.0);
    EXPECT_EQ(row["metrics"]["sigma_min"], 0.0);
  }
  for (const Json& row : rows_of(small_options())) EXPECT_EQ(row["tokens"], 1);
}

TEST(Renderer, NullDirectionsHaveNoLogarithm) {
  PlanOptions options = transformer_options();
  options.values = "log10";
  const Json row = rows_of(options)[0];
  ASSERT_EQ(row["log10_singular_values"].size(), 24u);
  for (std::size_t i = 21; i < 24; ++i) EXPECT_TRUE(row["log10_singular_values"][i].is_null());
  EXPECT_TRUE(row["metrics"]["log10_sigma_min"].is_null());
  EXPECT_EQ(row["spectrum"]["null_directions"], 3);
}

TEST(Renderer, AViewHasTheValuesOfItsBlock) {
  PlanOptions options = transformer_options();
  options.of = "token:2";
  EXPECT_EQ(rows_of(options)[1]["dimension"], 8);
  EXPECT_EQ(rows_of(options)[1]["singular_values"].size(), 8u);
  EXPECT_EQ(rows_of(options)[1]["spectrum"]["null_directions"], 1);
  options.wrt = "token:0";
  EXPECT_EQ(rows_of(options)[1]["dimension"], 8);
  EXPECT_EQ(rows_of(options)[1]["spectrum"]["null_directions"], 1);
  options.of.reset();
  EXPECT_EQ(rows_of(options)[1]["dimension"], 8) << "24 rows, 8 columns";
  EXPECT_EQ(rows_of(options)[1]["spectrum"]["null_directions"], 0);
  EXPECT_EQ(rows_of(options)[1]["tokens"], 3);
}

TEST(Renderer, TheUpperBlocksOfCausalStacksAreZero) {
  PlanOptions options = transformer_options();
  options.scheme = {"pre-ln"}, options.causal = true, options.of = "token:0", options.wrt = "token:1";
  const Json row = rows_of(options)[1];
  EXPECT_EQ(row["metrics"]["sigma_max"], 0.0);
  EXPECT_EQ(row["singular_values"].dump(), "[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]");
}

TEST(Renderer, EveryRowSaysWhatWasDrawn) {
  PlanOptions options = transformer_options();
  options.scheme = {"rezero", "deepnorm"}, options.depth = std::vector<Index>{1};
  const Json rows = rows_of(options);
  for (const Json& row : rows) EXPECT_TRUE(row["init"].is_string());
  EXPECT_EQ(rows[1]["init"], "xavier");
}

TEST(Renderer, ProfilesHoldTheScalesOfEveryBlock) {
  PlanOptions options = transformer_options();
  options.profile = true, options.depth = std::vector<Index>{2};
  options.scheme = {"deepnorm", "admin", "residual", "gated:a=0.25"};
  const Json rows = rows_of(options);
  for (const Json& row : rows) {
    EXPECT_EQ(row["profile"]["skip_scale"].size(), 4u);
    EXPECT_EQ(row["profile"]["branch_scale"].size(), 4u);
  }
  for (const Json& lambda : rows[0]["profile"]["skip_scale"])
    EXPECT_NEAR(lambda.get<Real>(), std::pow(4.0, 0.25), 1e-15);  // (2N)^1/4, N = 2 (DeepNorm, encoder)
  EXPECT_EQ(rows[1]["profile"]["skip_scale"][0], 1.0) << "omega of the first block";
  EXPECT_GT(rows[1]["profile"]["skip_scale"][3].get<Real>(), 1);
  EXPECT_EQ(rows[2]["profile"]["branch_scale"].dump(), "[1.0,1.0,1.0,1.0]");
  EXPECT_EQ(rows[3]["profile"]["skip_scale"].dump(), "[0.75,0.75,0.75,0.75]");
  EXPECT_EQ(rows[3]["profile"]["branch_scale"].dump(), "[0.25,0.25,0.25,0.25]");
}

TEST(Renderer, AVerdictFailsWhenAStackDoes) {
  PlanOptions options = small_options();
  options.scheme = {"rezero"};
  const SweepPlan plan = plan_of(options, PlanUse::verify);
  EXPECT_EQ(parse_strict_json(run_and_write(plan, "json"), "verdict")["pass"], true);
  CellResult failed;
  failed.labels.scheme = SchemeSpec("rezero");
  failed.failures = {{3, "numerical", "block 2: not finite"}};
  EXPECT_EQ(parse_strict_json(written(plan, "json", {failed}, {}), "verdict")["pass"], false);
}

/// `gain` of a scheme and of an initializer.
TEST(SweptColumns, AreNamedWithTheirAxisWhereTheNameIsNotEnough) {
  const auto titles = [](const char* scheme, const char* init) {
    PlanOptions options = small_options();
    options.scheme = {scheme}, options.init = {init};
    std::string text;
    for (const detail::SweptColumn& column : detail::swept_columns(plan_of(options)))
      text += (text.empty() ? "" : " ") + column.title;
    return text;
  };
  EXPECT_EQ(titles("fixed:alpha=1,2", "he:gain=1:3:1"), "alpha gain");
  EXPECT_EQ(titles("fixed:alpha=1", "he"), "");
  EXPECT_EQ(titles("fixed", "gaussian:sigma_b=1,2:sigma_w=1,2"), "sigma_w sigma_b") << "as declared";
  SweepPlan plan = plan_of(small_options());
  plan.schemes.add({parse_named_spec("fixed:alpha=1"), {{"alpha", {1, 2}, "1,2"}, {"depth", {1, 2}, "1,2"}}});
  plan.initializers.add({parse_named_spec("he:gain=1"), {{"alpha", {1, 2}, "1,2"}}});
  std::string text;
  for (const detail::SweptColumn& column : detail::swept_columns(plan)) text += column.title + " ";
  EXPECT_EQ(text, "scheme.alpha scheme.depth init.alpha ") << "depth is a column of every report";
}

}  // namespace
}  // namespace rezero
