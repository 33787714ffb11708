#include "cli/cli_support.h"
#include "support/reference_data.h"

namespace rezero {
namespace {

std::string reference(const std::string& name) {
  return testing::reference_file(name + ".safetensors");
}

/// The first check of that name that does not pass.
Json failed(const Ran& got, const std::string& check) {
  const Json verdict = got.json();
  for (const Json& one : verdict["checks"])
    if (one["check"] == check && !one["pass"].get<bool>()) return one;
  ADD_FAILURE() << "no failed check " << check;
  return {{"culprit_count", 0}, {"culprits", {{{"block", -1}, {"reason", ""}}}}};
}

struct Verdict {
  std::string scheme, check, reason;
  int culprits = 20;  ///< one a block
};

TEST(CliVerify, RezeroPasses) {
  const Ran got = ran({"verify", "--scheme", "rezero", "--depth", "200", "--width", "64"});
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.err, "");
  const Json verdict = got.json();
  EXPECT_EQ(verdict["schema"], "rezero-analyze/verdict/1");
  EXPECT_TRUE(verdict["pass"].get<bool>());
  for (const Json& check : verdict["checks"]) EXPECT_TRUE(check["pass"].get<bool>());
  expect_golden_json("verify_rezero.json", verdict);
}

TEST(CliVerify, FailuresNameTheirReason) {
  const std::vector<Verdict> verdicts = {{"rezero:alpha=1e-3", "identity", "branch scale 0.001"},
                                         {"residual", "identity", "branch scale 1"},
                                         {"dead", "alive", "dead"},
                                         {"plain", "identity", "no skip", 40},
                                         {"fixed:alpha=0.5", "identity", "branch scale 0.5"},
                                         {"normalized-sum", "identity", "skip scale", 40}};
  for (const Verdict& verdict : verdicts) {
    const Ran got = ran({"verify", "--scheme", verdict.scheme, "--depth", "20", "--width", "16"});
    EXPECT_EQ(got.code, 1) << verdict.scheme;
    EXPECT_EQ(got.err, "") << verdict.scheme;
    EXPECT_FALSE(got.json()["pass"].get<bool>());
    const Json check = failed(got, verdict.check);
    EXPECT_EQ(check["culprit_count"], verdict.culprits) << verdict.scheme;
    ASSERT_EQ(check["culprits"].size(), 10u) << verdict.scheme;
    EXPECT_TRUE(contains(check["culprits"][0]["reason"], verdict.reason)) << check["culprits"][0];
  }
}

TEST(CliVerify, ReferenceStacksThatAreAliveNameTheBlock) {
  const Json bias = failed(ran({"verify", "--stack", reference("rezero_live_bias")}), "identity");
  EXPECT_EQ(bias["culprit_count"], 1);
  EXPECT_EQ(bias["culprits"][0]["block"], 2);
  EXPECT_EQ(bias["culprits"][0]["reason"], "bias after the scale");
  const Ran run = ran({"verify", "--stack", reference("rezero_live_gate")});
  EXPECT_EQ(run.code, 1);
  const Json gate = failed(run, "identity");
  EXPECT_EQ(gate["culprit_count"], 1);
  EXPECT_EQ(gate["culprits"][0]["block"], 1);
  EXPECT_EQ(gate["culprits"][0]["reason"], "branch scale 0.01");
}

TEST(CliVerify, TolerancesAreTheUsers) {
  const Args base = {"verify", "--scheme", "rezero:alpha=1e-3", "--depth", "4", "--width", "16"};
  const auto with_check = [&base](const std::string& check) {
    Args args = base;
    args.insert(args.end(), {"--check", check});
    return ran(args).code;
  };
  EXPECT_EQ(with_check("identity"), 1);
  EXPECT_EQ(with_check("identity:tol=0.5"), 0);
  EXPECT_EQ(with_check("isometry"), 0);
  EXPECT_EQ(with_check("isometry:tol=1e-9"), 1);
  EXPECT_EQ(with_check("alive"), 0);
  EXPECT_EQ(with_check("isometry,alive,identity:tol=0.5"), 0);
}

TEST(CliVerify, TableHasALinePerCheck) {
  expect_golden(
      "verify_table.txt",
      ran({"verify", "--scheme", "rezero,dead", "--depth", "3", "--width", "8", "--format", "table"}).out);
}

TEST(CliVerify, NdjsonEndsWithTheVerdict) {
  const std::string out =
      ran({"verify", "--scheme", "rezero", "--depth", "3", "--width", "8", "--format", "ndjson"}).out;
  const std::string last = out.substr(out.rfind('\n', out.size() - 2) + 1);
  EXPECT_TRUE(Json::parse(last)["pass"].get<bool>()) << last;
}

TEST(CliVerify, FailedCellCountsMoreThanFailedVerdict) {
  EXPECT_EQ(
      ran({"verify", "--scheme", "residual", "--family", "glu", "--depth", "64", "--width", "16", "-q"}).code,
      4);
}

/// With one pixel and one sample, batch norm makes every branch zero: an unintended identity.
TEST(CliVerify, LifelessBranchesWarnAndFailOnDemand) {
  Args args = {"verify",  "--family", "conv",    "--scheme", "residual", "--norm", "batch_norm",
               "--image", "1x1",      "--depth", "2",        "--width",  "4"};
  const Ran got = ran(args);
  EXPECT_EQ(got.code, 0) << got.out;
  const Json verdict = got.json();
  EXPECT_TRUE(verdict["pass"].get<bool>());
  const Json& last = verdict["checks"].back();
  EXPECT_EQ(last["check"], "live:as=warning");
  EXPECT_EQ(last["severity"], "warning");
  EXPECT_FALSE(last["pass"].get<bool>());
  EXPECT_EQ(last["culprit_count"], 2);
  Args table = args;
  table.insert(table.end(), {"--format", "table"});
  EXPECT_TRUE(contains(ran(table).out, "all 2 checks pass, 1 warning"));
  args.insert(args.end(), {"--check", "live"});
  const Ran strict = ran(args);
  EXPECT_EQ(strict.code, 1);
  EXPECT_EQ(failed(strict, "live")["severity"], "error");
}

}  // namespace
}  // namespace rezero
