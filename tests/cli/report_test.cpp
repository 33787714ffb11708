/// Reports of whole runs, in every format.

#include <cmath>
#include <sstream>

#include "cli/cli_support.h"

namespace rezero {
namespace {

const Args small = {
    "--scheme", "residual,depth-power:c=0.5,rezero", "--depth", "1,3", "--width", "8", "--seed", "0:1"};

TEST(CliReport, DefaultRunIsFourSchemesAndSevenDepths) {
  const Ran got = ran({});
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.err, "");
  const Json report = got.json();
  EXPECT_EQ(report["schema"], "rezero-analyze/report/1");
  EXPECT_EQ(report["results"].size(), 28u);
  EXPECT_EQ(report["plan"]["width"], Json::array({64}));
  for (const Json& row : report["results"]) {
    const bool scaled = row["scheme"] == "rezero" || row["scheme"] == "depth-power";
    EXPECT_TRUE(row["status"] == "ok" || (!scaled && row["status"] == "unresolved")) << row["scheme"];
    EXPECT_EQ(row["singular_values"].size(), 64u);
    if (row["scheme"] == "rezero") {
      EXPECT_EQ(row["metrics"]["identity_error"], 0.0);
    }
  }
}

TEST(CliReport, JsonIsTheCommittedOne) {
  expect_golden_json("report.json", ran(small).json());
  expect_golden_json("report_profile.json",
                     ran({"--scheme", "fixed:alpha=0.5", "--family", "glu", "--activation", "silu",
                          "--hidden-ratio", "1.5", "--init", "orthogonal", "--depth", "2", "--width", "6",
                          "--profile", "--values", "log10", "--cotangent", "ones"})
                         .json());
}

TEST(CliReport, TableIsTheCommittedOne) {
  const Ran got = ran(with(small, {"--format", "table"}));
  std::string text;
  for (const std::string& line : lines_of(got.out))
    if (!contains(line, " s ") && !contains(line, "thread")) text += line + "\n";
  expect_golden("report_table.txt", text);
}

TEST(CliReport, TerminalGetsATableAndAPipeJson) {
  EXPECT_EQ(ran(small, Terminal::yes).out.find('{'), std::string::npos);
  EXPECT_EQ(ran(small).out[0], '{');
  EXPECT_EQ(ran(with(small, {"--format", "json"}), Terminal::yes).out[0], '{');
}

TEST(CliReport, CsvHasOneRectangle) {
  const std::vector<std::string> lines = lines_of(ran(with(small, {"--format", "csv"})).out);
  ASSERT_EQ(lines.size(), 13u);
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  for (const std::string& line : lines) EXPECT_EQ(commas(line), commas(lines[0])) << line;
}

TEST(CliReport, NdjsonLinesAreTheRowsOfTheReport) {
  const Json report = ran(small).json();
  const std::vector<std::string> lines = lines_of(ran(with(small, {"--format", "ndjson"})).out);
  ASSERT_EQ(lines.size(), report["results"].size() + 2);
  EXPECT_EQ(Json::parse(lines.front())["kind"], "context");
  EXPECT_EQ(Json::parse(lines.back())["kind"], "summary");
  for (std::size_t i = 0; i < report["results"].size(); ++i) {
    Json row = Json::parse(lines[i + 1]);
    EXPECT_EQ(row["kind"], "result");
    row.erase("kind");
    EXPECT_EQ(row.dump(), report["results"][i].dump());
  }
}

TEST(CliReport, ThreadsDoNotChangeABit) {
  for (const char* format : {"json", "ndjson", "csv"}) {
    const Args args = with(small, {"--format", format, "--profile"});
    const std::string one = ran(with(args, {"--threads", "1"})).out,
                      two = ran(with(args, {"--threads", "2"})).out;
    const auto without_run = [](const std::string& text) {
      std::string kept;
      for (const std::string& line : lines_of(text)) kept += line.substr(0, line.find("\"run\":")) + "\n";
      return kept;
    };
    EXPECT_EQ(without_run(one), without_run(two)) << format;
  }
}

TEST(CliReport, ValuesAsLogarithmsOrNotAtAll) {
  const Args one = {"--scheme", "residual", "--depth", "2", "--width", "6"};
  const Json linear = ran(one).json()["results"][0],
             none = ran(with(one, {"--values", "none"})).json()["results"][0];
  const Json log10 = ran(with(one, {"--values", "log10"})).json()["results"][0];
  EXPECT_FALSE(none.contains("singular_values") || none.contains("log10_singular_values"));
  EXPECT_FALSE(log10.contains("singular_values"));
  ASSERT_EQ(log10["log10_singular_values"].size(), 6u);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(log10["log10_singular_values"][i].get<double>(),
                std::log10(linear["singular_values"][i].get<double>()), 1e-13);
  EXPECT_EQ(none["metrics"].dump(), linear["metrics"].dump());
}

TEST(CliReport, EndsOfTheSpectrumAreThoseOfTheWhole) {
  const Args one = {"--scheme", "residual", "--depth", "4", "--width", "40"};
  const Json full = ran(one).json()["results"][0]["singular_values"];
  for (const char* method : {"auto", "dense", "spectra"}) {
    const Json row = ran(with(one, {"--top", "3", "--bottom", "2", "--method", method})).json()["results"][0];
    const Json& values = row["singular_values"];
    ASSERT_EQ(values.size(), 5u) << method;
    for (std::size_t i = 0; i < 5; ++i) {
      const double expected = full[i < 3 ? i : i + 35].get<double>();
      EXPECT_NEAR(values[i].get<double>(), expected, 1e-10 * full[0].get<double>()) << method << " " << i;
    }
    EXPECT_TRUE(row["spectrum"]["certified"].get<bool>()) << method;
    EXPECT_TRUE(row["metrics"]["mean_log_sigma"].is_null()) << method;
  }
}

TEST(CliReport, ProfileCoversTheRowsOwnBlocks) {
  const Json report =
      ran({"--scheme", "rezero,depth-power", "--depth", "1,2,5", "--width", "6", "--profile"}).json();
  for (const Json& row : report["results"]) {
    const Json& profile = row["profile"];
    const auto blocks = row["blocks"].get<std::size_t>();
    EXPECT_EQ(profile["forward_rms"].size(), blocks + 1);
    EXPECT_EQ(profile["log10_forward_rms"].size(), blocks + 1);
    EXPECT_EQ(profile["branch_norm"].size(), blocks);
    EXPECT_EQ(profile["gate_gradient"].size(), blocks);
    EXPECT_FALSE(row.contains("profile_depth"));
  }
}

TEST(CliReport, LargestSeedIsAString) {
  const Json report = ran({"--seed", "18446744073709551615", "--depth", "1", "--width", "4"}).json();
  EXPECT_EQ(report["results"][0]["seed"], "18446744073709551615");
  EXPECT_EQ(report["plan"]["seed"][0], "18446744073709551615");
}

TEST(CliReport, ACellThatFailsLeavesTheOthers) {
  const Ran got = ran({"--family", "glu", "--scheme", "residual,rezero", "--depth", "2,64", "--width", "16"});
  EXPECT_EQ(got.code, 4);
  EXPECT_TRUE(contains(got.err, "note: ")) << got.err;
  const Json report = got.json();
  ASSERT_EQ(report["failures"].size(), 1u);
  EXPECT_EQ(report["failures"][0]["scheme"], "residual");
  EXPECT_EQ(report["failures"][0]["depth"], 64);
  int ok = 0;
  for (const Json& row : report["results"]) ok += row["status"] == "ok";
  EXPECT_EQ(ok, 3);
}

/// Errors are not notices: a run that exits with 4 used to print nothing under --quiet, and never how many
/// rows failed.
TEST(CliReport, FailedCellsAreALineOnStderrEvenWhenQuiet) {
  const Args args = {"--family", "glu", "--scheme", "rezero,residual", "--depth", "2,64",
                     "--width",  "16",  "-q"};
  const Ran got = ran(args), verdict = ran(with({"verify"}, args));
  EXPECT_EQ(got.code, 4);
  EXPECT_EQ(got.err.find("rezero-analyze: 1 of 4 rows failed: residual depth 64 seed 0: "), 0u) << got.err;
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << got.err;
  EXPECT_EQ(verdict.code, 4);
  EXPECT_EQ(verdict.err, got.err);
}

TEST(CliReport, ProgressInLines) {
  const Ran got = ran(with(small, {"--progress", "plain"}));
  EXPECT_TRUE(contains(got.err, "progress: 100 %")) << got.err;
  EXPECT_EQ(ran(with(small, {"--progress", "plain", "-q"})).err, "");
}

TEST(CliOutput, FileIsReplacedWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder / "report.json";
  spill(path, "old");
  EXPECT_EQ(ran(with(small, {"-o", path})).code, 0);
  EXPECT_EQ(stable(Json::parse(slurp(path))).dump(), stable(ran(small).json()).dump());
  spill(path, "old");
  refused({"--scheme", "rezro", "-o", path}, 2);
  refused({"--width", "1e9", "-o", path}, 5);
  refused({"--stack", "/nonexistent/x", "-o", path}, 3);
  EXPECT_EQ(slurp(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(CliOutput, EndingOfTheFileChoosesTheFormat) {
  const TemporaryFolder folder;
  const Args one = {"--scheme", "plain", "--depth", "1", "--width", "4", "-o"};
  const std::vector<std::pair<std::string, std::string>> beginnings = {{"a.csv", "scheme,"},
                                                                       {"a.ndjson", "{\"kind\""},
                                                                       {"a.jsonl", "{\"kind\""},
                                                                       {"a.json", "{\n"},
                                                                       {"a", "{\n"}};
  for (const auto& [name, beginning] : beginnings) {
    EXPECT_EQ(ran(with(one, {folder / name})).code, 0);
    EXPECT_EQ(slurp(folder / name).substr(0, beginning.size()), beginning) << name;
  }
}

const Args tokens = {"--family", "transformer", "--scheme", "pre-ln",  "--tokens",
                     "40",       "--width",     "16",       "--depth", "2"};

TEST(CliReport, LargestValuesWithoutTheJacobian) {
  const Json row = ran(with(tokens, {"--method", "spectra", "--top", "3"})).json()["results"][0];
  const Json full = ran(tokens).json()["results"][0];
  EXPECT_EQ(row["spectrum"]["method"], "spectra");
  EXPECT_EQ(row["spectrum"]["part"], "largest");
  EXPECT_EQ(row["spectrum"]["fallbacks"], Json::array());
  EXPECT_GT(row["spectrum"]["applications"], 0);
  ASSERT_EQ(row["singular_values"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(row["singular_values"][i].get<double>(), full["singular_values"][i].get<double>(), 1e-10);
    EXPECT_LE(row["spectrum"]["right_residuals"][i], row["spectrum"]["relative_resolution"]);
    EXPECT_LE(row["spectrum"]["left_residuals"][i], row["spectrum"]["relative_resolution"]);
  }
  EXPECT_TRUE(row["metrics"]["mean_square"].is_null());
  EXPECT_TRUE(row["metrics"]["identity_error"].is_null());
}

/// 640² doubles, 4.4 times: 14 MB, in addition to the 7.5 MB of every worker.
TEST(CliReport, MemoryDecidesWhetherTheJacobianIsFormed) {
  const Args top = with(tokens, {"--top", "2"});
  EXPECT_EQ(ran(top).json()["results"][0]["spectrum"]["method"], "dense");
  const Json row = ran(with(top, {"--max-memory", "20M"})).json()["results"][0];
  EXPECT_EQ(row["spectrum"]["method"], "spectra");
  EXPECT_EQ(ran(with(tokens, {"--max-memory", "20M"})).code, 5);
}

TEST(CliReport, DensityOfARow) {
  const Json row = ran(with(tokens, {"--method", "density"})).json()["results"][0];
  const Json& density = row["density"];
  EXPECT_EQ(row["spectrum"]["part"], "density");
  EXPECT_FALSE(row.contains("singular_values"));
  EXPECT_EQ(density["cdf"].size(), density["log10_sigma"].size());
  EXPECT_EQ(density["histogram"].size() + 1, density["cdf"].size());
  const Json full = ran(tokens).json()["results"][0];
  const double mean = full["metrics"]["mean_square"];
  EXPECT_NEAR(density["mean_square"].get<double>(), mean, 1e-12 * mean);
  EXPECT_EQ(density["probes"], 0);
  EXPECT_TRUE(contains(row["spectrum"]["choice"].get<std::string>(), "all its values were computed"));
  if (density["converged"] == true) {
    const double median = full["metrics"]["median_sigma"];
    std::size_t i = 0;
    while (density["cdf"][i] < 0.5) ++i;
    EXPECT_LE(density["log10_sigma"][i - 1], std::log10(median) + 0.05);
    EXPECT_GE(density["log10_sigma"][i], std::log10(median) - 0.05);
  }
}

TEST(CliDryRun, SaysHowEachCellWouldGo) {
  EXPECT_TRUE(contains(ran(with(tokens, {"--dry-run"})).out, "method   dense on J formed, n = 640"));
  const Ran top = ran(with(tokens, {"--method", "spectra", "--top", "3", "--dry-run", "--seed", "0:1"}));
  EXPECT_TRUE(contains(top.out, "method   spectra by products, n = 640")) << top.out;
  EXPECT_TRUE(contains(top.out, "each: 2 cells")) << top.out;
  EXPECT_TRUE(contains(ran(with(tokens, {"--method", "density", "--dry-run"})).out, "density on J formed"));
  EXPECT_TRUE(contains(ran(with(tokens, {"--method", "density", "--dry-run", "--max-memory", "20M"})).out,
                       "density by products"));
}

/// Cells that run side by side share the memory; a single cell has the memory and all threads to itself.
TEST(CliDryRun, SaysHowManyThreadsThereWouldBe) {
  const Args large = {"--scheme",     "fixed", "--width",   "1000", "--depth",  "2",
                      "--max-memory", "100M",  "--threads", "2",    "--dry-run"};
  EXPECT_TRUE(contains(ran(large).out, "with 2 threads, limit 100 MB")) << ran(large).out;
  EXPECT_TRUE(contains(ran(with(large, {"--seed", "0:3"})).out, "with 1 thread, limit 100 MB"));
}

TEST(CliDryRun, CountsCellsAndWritesNothing) {
  const TemporaryFolder folder;
  const Ran got = ran(with(small, {"--dry-run", "-o", folder / "x"}));
  EXPECT_EQ(got.code, 0);
  EXPECT_TRUE(contains(got.out, "(12 rows)")) << got.out;
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace rezero
