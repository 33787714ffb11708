/// Parameters of schemes, activations and initializers as axes.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/cli_support.h"

namespace rezero {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) all.push_back(field);
  return all;
}

const Args phase = {"--scheme",     "plain", "--family", "dense",
                    "--activation", "tanh",  "--init",   "gaussian:sigma_w=0.5:1.5:0.5:sigma_b=0,0.3",
                    "--depth",      "2,4",   "--width",  "8",
                    "--seed",       "0:1"};

const Args several = {"--scheme",     "rezero,fixed:alpha=0.01:0.1:x2,depth-power:p=0,0.5",
                      "--depth",      "1,3",
                      "--width",      "4",
                      "--activation", "leaky_relu:slope=0.1:0.3:0.1",
                      "--values",     "none"};

TEST(CliSweep, TableIsTheCommittedOne) {
  std::string text;
  for (const Args& args : {phase, several})
    for (const std::string& line : lines_of(ran(with(args, {"--format", "table"})).out))
      if (!contains(line, " s ") && !contains(line, "thread")) text += line + "\n";
  expect_golden("sweep_table.txt", text);
}

/// Every row of a grid is, byte for byte, the row of a run with these numbers alone; also its failures,
/// summary and verdicts.
TEST(CliSweep, ACellOfAGridIsTheRunOfItsNumbers) {
  const auto rows_by_label = [](const Ran& got) {
    EXPECT_EQ(got.code, 0) << got.err;
    std::vector<std::string> rows;
    for (const std::string& line : lines_of(got.out))
      if (contains(line, R"("kind": "result")")) rows.push_back(line);
    return rows;
  };
  const Args all = {"--depth", "2,3", "--width", "6", "--seed", "4:5", "--profile", "--format", "ndjson"};
  const std::vector<std::string> grid = rows_by_label(
      ran(with({"--scheme", "depth-power:c=0.1:0.4:x2:p=0:1:0.5", "--activation", "leaky_relu:slope=0,0.1",
                "--init", "gaussian:sigma_w=0.7:1:0.1:sigma_b=0:0.2:0.2"},
               all)));
  std::vector<std::string> alone;
  for (const char* c : {"0.1", "0.2", "0.4"})
    for (const char* p : {"0", "0.5", "1"})
      for (const char* slope : {"0", "0.1"})
        for (const char* sigma_w : {"0.7", "0.8", "0.9", "1"})
          for (const char* sigma_b : {"0", "0.2"})
            for (const std::string& row :
                 rows_by_label(ran(with({"--scheme", std::string("depth-power:c=") + c + ":p=" + p,
                                         "--activation", std::string("leaky_relu:slope=") + slope, "--init",
                                         std::string("gaussian:sigma_w=") + sigma_w + ":sigma_b=" + sigma_b},
                                        all))))
              alone.push_back(row);
  ASSERT_EQ(grid.size(), 3u * 3 * 2 * 4 * 2 * 4);
  EXPECT_EQ(grid, alone);
}

TEST(CliSweep, RowsHaveTheNumbersOfTheirParameters) {
  const Json report = ran(phase).json();
  ASSERT_EQ(report["results"].size(), 24u);
  ASSERT_EQ(report["summary"].size(), 12u) << "grouped by parameters";
  const Json& row = report["results"][5];  // sigma_w, sigma_b, seed, depth: the last varies fastest
  EXPECT_EQ(row["init"], "gaussian:sigma_w=0.5:sigma_b=0.3");
  EXPECT_EQ(row["init_params"].dump(), R"({"sigma_w":0.5,"sigma_b":0.3})");
  EXPECT_EQ(row["scheme_params"].dump(), "{}");
  EXPECT_EQ(row["activation_params"].dump(), "{}");
  EXPECT_EQ(report["summary"][11]["init_params"].dump(), R"({"sigma_w":1.5,"sigma_b":0.3})");
  EXPECT_EQ(report["summary"][11]["metrics"]["sigma_max"]["count"], 2);
}

/// A common random number: the first layer's weights of all grid points are multiples of one draw.
TEST(CliSweep, OneSeedIsOneDrawForAllPoints) {
  const Json report = ran({"--scheme", "plain", "--family", "linear", "--depth", "1", "--width", "5",
                           "--init", "gaussian:sigma_w=1:4:x2"})
                          .json();
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t k = 1; k < 3; ++k)
      EXPECT_NEAR(report["results"][k]["singular_values"][i].get<double>(),
                  std::pow(2, k) * report["results"][0]["singular_values"][i].get<double>(), 1e-14);
}

TEST(CliSweep, CsvHasAColumnForEachSweptParameter) {
  const std::vector<std::string> lines = lines_of(ran(with(several, {"--format", "csv"})).out);
  const std::vector<std::string> header = fields(lines[0]);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  ASSERT_EQ(lines.size(), 1u + (1 + 4 + 2) * 3 * 2);
  for (const char* name : {"alpha", "p", "slope"}) ASSERT_LT(column(name), header.size()) << name;
  EXPECT_LT(column("slope"), column("depth"));
  const auto values = [&](std::size_t line) {
    const std::vector<std::string> row = fields(lines[line]);
    EXPECT_EQ(row.size(), header.size());
    return row[column("scheme")] + " " + row[column("alpha")] + " " + row[column("p")] + " " +
           row[column("slope")];
  };
  EXPECT_EQ(values(1), "rezero 0  0.1") << "a row that does not vary the parameter has its value";
  EXPECT_EQ(values(3), "rezero 0  0.2");
  EXPECT_EQ(values(5), "rezero 0  0.3");
  EXPECT_EQ(values(7), "fixed:alpha=0.01 0.01  0.1");
  EXPECT_EQ(values(26), "fixed:alpha=0.08 0.08  0.1");
  EXPECT_EQ(values(31), "depth-power:p=0  0 0.1") << "no parameter of that name: empty";
  EXPECT_FALSE(contains(
      ran({"--depth", "1", "--width", "2", "--scheme", "fixed:alpha=0.5", "--format", "csv"}).out, "alpha,"));
}

TEST(CliSweep, AmbiguousColumnsHaveTheirAxisInFront) {
  const auto header = [](const char* scheme, const char* init) {
    return lines_of(
        ran({"--scheme", scheme, "--init", init, "--depth", "1", "--width", "2", "--format", "csv"}).out)[0];
  };
  EXPECT_TRUE(contains(header("fixed:alpha=1,2", "gaussian:sigma_w=1,2"), ",alpha,sigma_w,depth,"));
  EXPECT_TRUE(contains(header("fixed:alpha=1,2,rezero:alpha=1,2", "he"), ",alpha,depth,"));
}

TEST(CliSweep, PlansSayTheSame) {
  const TemporaryFolder folder;
  const Args args = {"--scheme",     "fixed:alpha=0.10:0.3:1e-1,rezero,fixed:alpha=1,+2.0",
                     "--activation", "leaky_relu:slope=0.1,0.2",
                     "--init",       "gaussian:sigma_b=0:1:0.5:sigma_w=1:4:x2.0,he",
                     "--depth",      "1",
                     "--width",      "3"};
  const Ran dumped = ran(with(args, {"--dump-plan"}));
  const Json plan = dumped.json();
  EXPECT_EQ(plan["scheme"], Json({"fixed:alpha=0.1:0.3:0.1", "rezero", "fixed:alpha=1,2"}));
  EXPECT_EQ(plan["activation"], Json::array({"leaky_relu:slope=0.1,0.2"}));
  EXPECT_EQ(plan["init"], Json({"gaussian:sigma_w=1:4:x2:sigma_b=0:1:0.5", "he"}));
  spill(folder / "p.json", dumped.out);
  EXPECT_EQ(ran({"-c", folder / "p.json", "--dump-plan"}).out, dumped.out);
  EXPECT_EQ(stable(ran({"-c", folder / "p.json"}).json()).dump(), stable(ran(args).json()).dump());
  Args written = args;
  written.insert(written.end(), {"-o", folder / "r.json"});
  ASSERT_EQ(ran(written).code, 0);
  EXPECT_EQ(stable(ran({"-c", folder / "r.json"}).json()).dump(), stable(ran(args).json()).dump());
  spill(
      folder / "t.json",
      R"({"scheme": "fixed:alpha=0.1:0.3:0.1, rezero, fixed:alpha=1, 2", "activation": ["leaky_relu:slope=0.1, 0.2"],
            "init": "gaussian:sigma_w=1:4:x2:sigma_b=0:1:0.5,he", "depth": 1, "width": 3})");
  EXPECT_EQ(ran({"-c", folder / "t.json", "--dump-plan"}).out, dumped.out);
}

TEST(CliSweep, ErrorsInPlansHaveTheirPath) {
  const TemporaryFolder folder;
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"scheme": ["plain", "fixed:alpha=1:0:0.1"]})",
            "scheme[1]: parameter 'alpha' of scheme 'fixed'"},
           {R"({"init": "he,gaussian:sigma_w=0.1,-1"})", "init: parameter 'sigma_w'"},
           {R"({"scheme": ["fixed:alpha=0.1,rezero"]})",
            "scheme[0]: parameter 'alpha' of scheme 'fixed': 'rezero' is not a number"},
           {R"({"check": "isometry:tol=0.1:0.3:0.1"})",
            "check: 'isometry:tol=0.1:0.3:0.1' has a range for 'tol'"}}) {
    spill(folder / "p.json", text);
    const std::string line = refused({"-c", folder / "p.json"}, 3);
    EXPECT_TRUE(contains(line, part)) << text << "\n" << line;
  }
}

/// A grid that gives a value that is already there does not give it twice.
TEST(CliSweep, OverlappingEntriesGiveEachValueOnce) {
  const auto names = [](const char* scheme) {
    std::string text;
    const Json report = ran({"--scheme", scheme, "--depth", "1", "--width", "2"}).json();
    for (const Json& row : report["results"])
      text += (text.empty() ? "" : " ") + row["scheme"].get<std::string>();
    return text;
  };
  EXPECT_EQ(names("fixed:alpha=1:3:1,fixed:alpha=2:5:1,fixed:alpha=4"),
            "fixed:alpha=1 fixed:alpha=2 fixed:alpha=3 fixed:alpha=4 fixed:alpha=5");
  EXPECT_EQ(names("fixed,fixed:alpha=0.1,0.2"), "fixed fixed:alpha=0.2");
  EXPECT_EQ(names("fixed:alpha=0.2:0.2:1"), "fixed:alpha=0.2");
  EXPECT_EQ(names("depth-power:c=1,2:p=0,1,depth-power:p=1,2:c=2,1"),
            "depth-power:p=0 depth-power:p=1 depth-power:c=2:p=0 depth-power:c=2:p=1 "
            "depth-power:c=2:p=2 depth-power:p=2");
}

TEST(CliSweep, VerifyNamesThePoint) {
  const Ran got = ran({"verify", "--scheme", "rezero:alpha=0,0.5", "--init", "gaussian:sigma_w=1,2",
                       "--depth", "2", "--width", "3", "--format", "table"});
  EXPECT_EQ(got.code, 1);
  EXPECT_TRUE(contains(got.out, "rezero:alpha=0.5 init gaussian:sigma_w=2 depth 2 seed 0")) << got.out;
  EXPECT_TRUE(contains(got.out, "rezero init gaussian depth 2 seed 0")) << got.out;
}

TEST(CliSweep, OneStackHasOneValue) {
  EXPECT_TRUE(
      contains(refused({"export", "--scheme", "fixed:alpha=0.1:1:0.1", "--depth", "1", "-o", "/tmp/x"}, 2),
               "10 values of --scheme"));
}

TEST(CliSweep, DryRunCountsThePoints) {
  const Ran got = ran({"--scheme", "fixed:alpha=0:1:0.01", "--init", "gaussian:sigma_w=0:1:0.01", "--depth",
                       "1,2", "--width", "2", "--dry-run"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_TRUE(contains(got.out, "cells    10201 (20402 rows)")) << got.out;
}

}  // namespace
}  // namespace rezero
