/// --theory and the command theory, from the command line to the report.

#include "cli/cli_support.h"

namespace rezero {
namespace {

TEST(CliTheory, TheReportHoldsPredictionsAndVerdicts) {
  const Ran got = ran({"--scheme", "rezero,depth-power", "--family", "linear", "--init", "gaussian",
                       "--width", "48", "--depth", "4", "--seed", "0:5", "--theory", "--values", "none"});
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json();
  EXPECT_EQ(report["plan"]["theory"], true);
  ASSERT_EQ(report["results"].size(), 12u);
  for (const Json& row : report["results"]) {
    const Json& predicted = row["theory"]["predicted"];
    const double want = row["scheme"] == "rezero" ? 1 : std::pow(1.25, 4);
    EXPECT_NEAR(predicted["mean_square"].get<double>(), want, 1e-13);
    EXPECT_LT(row["theory"]["kolmogorov_distance"].get<double>(), 0.125);
  }
  ASSERT_EQ(report["summary"].size(), 2u);
  for (const Json& row : report["summary"]) {
    const Json& theory = row["theory"];
    EXPECT_EQ(theory["verdict"], "agrees") << theory;
    EXPECT_EQ(theory["comparisons"].back()["name"], "spectrum");
    EXPECT_EQ(theory["log10_forward_rms"].size(), 5u);
    EXPECT_EQ(theory["log10_gradient_square"].size(), 5u);
    EXPECT_EQ(theory["rank_fraction"].size(), 5u);
  }
  // The predicted curve, to be drawn over a histogram of log10 sigma.
  const Json& law = report["summary"][1]["theory"]["spectrum"];
  const std::size_t points = law["log10_sigma"].size();
  ASSERT_GT(points, 50u);
  ASSERT_EQ(law["density"].size(), points);
  double mass = 0;
  for (std::size_t i = 1; i < points; ++i) {
    const double step = law["log10_sigma"][i].get<double>() - law["log10_sigma"][i - 1].get<double>();
    ASSERT_GT(step, 0);
    mass += step * (law["density"][i].get<double>() + law["density"][i - 1].get<double>()) / 2;
  }
  EXPECT_NEAR(mass, 1, 1e-2);
}

TEST(CliTheory, TheTableSaysWhyNothingIsKnown) {
  const Ran got = ran({"--scheme", "pre-ln", "--family", "transformer", "--tokens", "4", "--width", "8",
                       "--depth", "2", "--theory", "--format", "table"});
  ASSERT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(contains(got.out, "no theory: ")) << got.out;
}

TEST(CliTheory, WithoutTheOptionNothingIsAdded) {
  const Json report = ran({"--depth", "1", "--width", "8"}).json();
  EXPECT_FALSE(report["plan"].contains("theory"));
  for (const Json& row : report["results"]) EXPECT_FALSE(row.contains("theory"));
}

TEST(CliTheory, FilesHaveNone) {
  const TemporaryFolder folder;
  const std::string file = folder / "stack.safetensors";
  ASSERT_EQ(ran({"export", "--scheme", "rezero", "--depth", "2", "--width", "8", "-o", file}).code, 0);
  const Json report = ran({"--stack", file, "--theory"}).json();
  EXPECT_EQ(report["summary"][0]["theory"]["verdict"], "no-theory");
  EXPECT_EQ(report["summary"][0]["theory"]["reason"], "the weights are those of a file");
}

TEST(CliTheory, PredictionsAlone) {
  const Ran got = ran({"theory", "--family", "mlp", "--activation", "relu", "--scheme", "residual", "--depth",
                       "1,64", "--format", "json"});
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json();
  EXPECT_EQ(report["schema"], "rezero-analyze/theory/1");
  ASSERT_EQ(report["predictions"].size(), 2u);
  EXPECT_NEAR(report["predictions"][0]["predicted"]["mean_square"].get<double>(), 3, 1e-12);
  EXPECT_NEAR(report["predictions"][1]["predicted"]["log10_mean_square"].get<double>(), 64 * std::log10(3),
              1e-10);
  const Ran table = ran({"theory", "--scheme", "rezero", "--depth", "7"});
  EXPECT_TRUE(contains(table.out, "rezero   x' = x + alpha_l F(x)")) << table.out;
  EXPECT_TRUE(contains(refused({"theory", "--method", "dense"}, 2), "unknown option '--method'"));
  EXPECT_TRUE(contains(refused({"theory", "--format", "csv"}, 2), "unknown format 'csv' of theory"));
}

/// Neither threads nor the order of seeds show.
TEST(LawCliTheory, ThreadsDoNotShow) {
  const auto with = [](const char* threads) {
    const std::string out =
        ran({"--scheme", "plain,depth-power,post-ln", "--activation", "tanh,relu", "--depth", "1,5",
             "--width", "24", "--seed", "0:3", "--theory", "--threads", threads})
            .out;
    return out.substr(0, out.find("\"run\": "));
  };
  const std::string one = with("1");
  EXPECT_TRUE(with("2") == one);
  EXPECT_TRUE(with("3") == one);
}

}  // namespace
}  // namespace rezero
