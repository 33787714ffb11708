/// Nets over images from the command line: whole ResNets, verdicts on blocks of equal shape, the positive
/// orthant.

#include <algorithm>

#include "cli/cli_support.h"

namespace rezero {
namespace {

Args resnet(Args more, const std::string& command = "") {
  Args args = command.empty() ? Args{} : Args{command};
  for (const char* word : {"--family", "conv", "--stages", "2,3,2", "--widths", "2,4,8", "--image", "8x8"})
    args.emplace_back(word);
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(CliConv, WholeResNetIsReportedAtTheEndOfEachStage) {
  const Ran got = ran(resnet({"--scheme", "rezero-resnet,residual", "--shortcut", "projection"}));
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json();
  ASSERT_EQ(report["results"].size(), 6u);
  const int depths[] = {2, 5, 7}, rows[] = {128, 64, 32};
  for (std::size_t i = 0; i < 6; ++i) {
    const Json& row = report["results"][i];
    EXPECT_EQ(row["depth"], depths[i % 3]);
    EXPECT_EQ(row["dimension"], rows[i % 3]);
    EXPECT_EQ(row.contains("rows"), i % 3 > 0);
    EXPECT_EQ(row["singular_values"].size(), static_cast<std::size_t>(rows[i % 3]));
    EXPECT_EQ(row["order"], "post");
    EXPECT_EQ(row["norm"], i < 3 ? "batch_norm" : "none");
    EXPECT_EQ(row["metrics"]["identity_error"].is_null(), i % 3 > 0);
  }
  EXPECT_EQ(report["results"][0]["metrics"]["identity_error"], 0);
  EXPECT_EQ(report["plan"]["stages"], Json::parse("[2,3,2]"));
  EXPECT_FALSE(report["plan"].contains("width"));
}

/// A shortcut by subsampling keeps every fourth pixel: J of an initial ReZero net consists of ones and zeros.
TEST(CliConv, SubsampledIdentityHasOnesOnly) {
  const Ran got = ran(resnet({"--scheme", "rezero"}));
  ASSERT_EQ(got.code, 0) << got.err;
  const Json last = got.json()["results"][2];
  EXPECT_EQ(last["rows"], 32);
  EXPECT_EQ(last["cols"], 128);
  const std::vector<double> sigma = last["singular_values"];
  EXPECT_EQ(std::count(sigma.begin(), sigma.end(), 1.0), 8);  // 4 pixels of 2 channels
  EXPECT_EQ(std::count(sigma.begin(), sigma.end(), 0.0), 24);
}

TEST(CliConv, VerifyLooksAtBlocksOfEqualShapeAndSaysSo) {
  const Ran good = ran(
      resnet({"--scheme", "rezero-resnet", "--depth", "7", "--check", "identity,isometry,alive"}, "verify"));
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  const Json checks = good.json()["checks"];
  for (const Json& check : checks)
    EXPECT_TRUE(contains(check["message"], "blocks of equal shape only; not checked: 2, 5")) << check;
  const Ran bad = ran(resnet({"--scheme", "residual", "--depth", "7"}, "verify"));
  EXPECT_EQ(bad.code, 1);
  const Json check = bad.json()["checks"][0];
  EXPECT_EQ(check["culprit_count"], 5);
  const int blocks[] = {0, 1, 3, 4, 6};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(check["culprits"][i]["block"], blocks[i]);
}

TEST(CliConv, OuterReluIsTheIdentityOnThePositiveOrthantOnly) {
  for (const char* scheme : {"zero-gamma", "fixup", "skipinit"}) {
    const Args args = {"verify",  "--family",
                       "conv",    "--image",
                       "3x3",     "--width",
                       "2",       "--scheme",
                       scheme,    "--outer-activation",
                       "--depth", "5",
                       "--check", "identity,identity:on=positive-orthant,alive"};
    const Ran got = ran(args);
    EXPECT_EQ(got.code, 1);
    const Json checks = got.json()["checks"];
    EXPECT_FALSE(checks[0]["pass"].get<bool>());
    EXPECT_TRUE(contains(checks[0]["message"], "identity on the positive orthant")) << checks[0];
    EXPECT_EQ(checks[0]["culprits"][0]["reason"], "outer activation relu");
    EXPECT_TRUE(checks[1]["pass"].get<bool>()) << checks[1];
    EXPECT_TRUE(checks[2]["pass"].get<bool>()) << checks[2];
  }
}

TEST(CliConv, WithoutAnOuterReluTheOrthantCheckSaysWhatJIs) {
  const Ran got = ran({"verify", "--family", "conv", "--image", "3x3", "--width", "2", "--scheme",
                       "zero-gamma", "--depth", "2", "--check", "identity:on=positive-orthant"});
  EXPECT_EQ(got.code, 1);
  EXPECT_TRUE(contains(got.json()["checks"][0]["message"], "the identity everywhere")) << got.out;
}

TEST(CliConv, ReportAsConfigRepeatsTheRun) {
  const TemporaryFolder folder;
  for (Args args :
       {resnet({"--scheme", "zero-gamma,nf-resnet", "--padding", "circular", "--shortcut", "projection"}),
        Args{"--family", "conv", "--norm", "group_norm:groups=2", "--order", "pre", "--bottleneck", "--width",
             "8", "--image", "2x3", "--batch", "2", "--depth", "2", "--kernel", "1", "--outer-activation"},
        Args{"--family", "conv", "--scheme", "residual", "--norm", "batch_norm", "--bn-statistics", "initial",
             "--width", "2", "--image", "2x2", "--depth", "1,2"}}) {
    const Ran first = ran(args);
    ASSERT_EQ(first.code, 0) << first.err;
    spill(folder / "report.json", first.out);
    Json again = ran({"--config", folder / "report.json"}).json(), once = first.json();
    again.erase("run"), once.erase("run");
    EXPECT_EQ(again, once);
  }
}

/// Numbers per feature have each block's own width: every scheme passes through all stages, in a dry run and
/// in a real one.
TEST(CliConv, NoSchemeEndsInAnInternalErrorBetweenStages) {
  const Json listed = Json::parse(ran({"list", "--format", "json"}).out)["schemes"];
  ASSERT_GT(listed.size(), 30u);
  for (const Json& scheme : listed) {
    SCOPED_TRACE(scheme["name"]);
    const Args args = {"--family", "conv",   "--stages", "1,2",      "--widths",     "2,4",      "--image",
                       "4x4",      "--norm", "none",     "--scheme", scheme["name"], "--values", "none"};
    Args dry = args, verify = {"verify"};
    dry.emplace_back("--dry-run");
    verify.insert(verify.end(), args.begin(), args.end() - 2);
    const Ran planned = ran(dry), run = ran(args), checked = ran(verify);
    EXPECT_EQ(planned.code, run.code) << run.err;
    EXPECT_TRUE(run.code == 0 || run.code == 2) << run.err;
    EXPECT_TRUE(checked.code == run.code || (run.code == 0 && checked.code == 1)) << checked.err;
    EXPECT_FALSE(contains(run.err + checked.err, "internal error"));
  }
}

/// An impossible cell is found before the first byte of output, with the same message for all commands.
TEST(CliConv, RefusesASchemeThatDoesNotFitBeforeAnythingRuns) {
  const TemporaryFolder folder;
  const Args misfits[] = {{"--scheme", "residual,zero-gamma", "--order", "pre", "--norm", "batch_norm"},
                          {"--scheme", "residual,nf-resnet", "--order", "post"},
                          {"--scheme", "residual,normformer"},
                          {"--scheme", "residual,sub-ln"}};
  for (const Args& misfit : misfits) {
    Args args = {"--family", "conv", "--image", "2x2", "--width", "2", "--depth", "2"};
    args.insert(args.end(), misfit.begin(), misfit.end());
    const auto with = [&args](Args before, const Args& after) {
      before.insert(before.end(), args.begin(), args.end());
      before.insert(before.end(), after.begin(), after.end());
      return before;
    };
    const Ran run = ran(args);
    EXPECT_TRUE(contains(run.err, "scheme '")) << run.err;
    for (const Args& command : {args, with({}, {"--dry-run"}), with({}, {"--format", "ndjson"}),
                                with({"verify"}, {}), with({"export"}, {"-o", folder / "x.safetensors"})}) {
      const Ran got = ran(command);
      EXPECT_EQ(got.code, 2);
      EXPECT_EQ(got.out, "");
      EXPECT_EQ(got.err, run.err);
    }
  }
}

TEST(CliConv, RefusesWhatDoesNotFit) {
  const struct {
    Args args;
    const char* message;
  } cases[] = {
      {{"--image", "8x8"}, "--image contradicts --family mlp"},
      {{"--family", "conv", "--tokens", "4"}, "--tokens contradicts --family conv"},
      {{"--family", "conv", "--image", "8"}, "is not HEIGHTxWIDTH"},
      {{"--family", "conv", "--image", "0x8"}, "less than 1"},
      {{"--family", "conv", "--kernel", "2"}, "--kernel must be odd"},
      {{"--family", "conv", "--padding", "same"}, "unknown padding 'same'"},
      {{"--family", "conv", "--norm", "bn", "--width", "2", "--image", "2x2"}, ""},
      {{"--family", "conv", "--norm", "group_norm:groups=3", "--width", "8"},
       "groups=3 does not divide 8 channels"},
      {{"--family", "conv", "--norm", "batch_norm:groups=3"}, "norm 'batch_norm' has no parameter 'groups'"},
      {{"--family", "conv", "--stages", "1,1"}, "--stages needs --widths"},
      {{"--family", "conv", "--widths", "1,1"}, "--widths needs --stages"},
      {{"--family", "conv", "--stages", "1,1", "--widths", "4"}, "--stages has 2 entries, --widths 1"},
      {{"--family", "conv", "--stages", "1,1", "--widths", "4,4", "--width", "4"}, "contradict each other"},
      {{"--family", "conv", "--stages", "1,1", "--widths", "4,2"}, "only adds channels"},
      {{"--family", "conv", "--stages", "1,1", "--widths", "4,4", "--depth", "3"}, "more than the 2 blocks"},
      {{"--family", "conv", "--stages", "1,1", "--widths", "2,4", "--image", "3x4", "--padding", "circular"},
       "even images"},
      {{"--family", "conv", "--bottleneck", "--width", "6"}, "multiple of 4"},
      {{"--family", "conv", "--scheme", "zero-gamma", "--order", "pre"}, "needs a norm at the end"},
      {{"--scheme", "zero-gamma"}, "needs a norm at the end"},
      {{"--scheme", "nf-resnet"}, "use --family conv"},
      {{"--family", "conv", "--bn-statistics", "initial", "--scheme", "residual"}, "needs a batch norm"},
      {{"--family", "conv", "--bn-statistics", "initial", "--norm", "layer_norm", "--scheme", "zero-gamma"},
       "needs a batch norm"},
      {{"--family", "conv", "--shortcut", "projection"}, "--shortcut needs --stages"},
      {{"--family", "conv", "--wrt", "token:0"}, "contradicts --family conv"}};
  for (const auto& one : cases) {
    Args args = one.args;
    if (std::find(args.begin(), args.end(), "--depth") == args.end() &&
        std::find(args.begin(), args.end(), "--stages") == args.end())
      args.insert(args.end(), {"--depth", "1"});
    const Ran got = ran(args);
    if (std::string(one.message).empty()) {
      EXPECT_EQ(got.code, 0) << got.err;  // an alias
      continue;
    }
    EXPECT_EQ(got.code, 2) << one.message << got.err;
    EXPECT_TRUE(contains(got.err, one.message)) << got.err;
  }
}

}  // namespace
}  // namespace rezero
