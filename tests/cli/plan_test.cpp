/// Plans as files: --dump-plan, --config, and options over them.

#include "cli/cli_support.h"

namespace rezero {
namespace {

std::string results(const Ran& ran) {
  return ran.json()["results"].dump();
}

const Args unusual = {"--scheme",
                      "depth-power:c=2:p=1,fixup,gated:a=0.25",
                      "--family",
                      "dense",
                      "--depth",
                      "1:9:x3",
                      "--width",
                      "4,6",
                      "--activation",
                      "tanh,leaky_relu:slope=0.2",
                      "--init",
                      "gaussian:sigma_w=1.5:sigma_b=0.1",
                      "--tied",
                      "--seed",
                      "18446744073709551615,3",
                      "--input",
                      "sphere",
                      "--values",
                      "log10",
                      "--profile",
                      "--cotangent",
                      "ones"};

TEST(CliPlan, DumpedPlanRepeatsItself) {
  const TemporaryFolder folder;
  Args dump = unusual;
  dump.push_back("--dump-plan");
  const Ran first = ran(dump);
  ASSERT_EQ(first.code, 0) << first.err;
  expect_golden("plan.json", first.out);
  spill(folder / "plan.json", first.out);
  EXPECT_EQ(ran({"--config", folder / "plan.json", "--dump-plan"}).out, first.out);
  EXPECT_EQ(results(ran({"-c", folder / "plan.json"})), results(ran(unusual)));
}

TEST(CliPlan, ReportAsConfigRepeatsTheRunToTheByte) {
  const TemporaryFolder folder;
  for (const char* name : {"r.json", "r.ndjson"}) {
    Args first = unusual;
    first.insert(first.end(), {"-o", folder / name});
    ASSERT_EQ(ran(first).code, 0);
    const Ran again = ran({"--config", folder / name});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(stable(again.json()).dump(), stable(ran(unusual).json()).dump()) << name;
  }
}

TEST(CliPlan, OptionsWinOverTheFile) {
  const TemporaryFolder folder;
  spill(folder / "p.json", R"({"scheme": ["rezero"], "depth": "1:4", "width": 5, "seed": 7})");
  const Json plan = ran({"-c", folder / "p.json", "--depth", "2", "--dump-plan"}).json();
  EXPECT_EQ(plan["depth"], Json::array({2}));
  EXPECT_EQ(plan["width"], Json::array({5}));
  EXPECT_EQ(plan["seed"], Json::array({"7"}));
}

TEST(CliPlan, VerdictAsConfigOfVerify) {
  const TemporaryFolder folder;
  const Args first = {"verify",  "--scheme", "residual", "--check", "isometry:tol=0.5,alive",
                      "--depth", "3",        "--width",  "6"};
  Args written = first;
  written.insert(written.end(), {"-o", folder / "v.json"});
  EXPECT_EQ(ran(written).code, 1);
  EXPECT_EQ(stable(ran({"verify", "-c", folder / "v.json"}).json()).dump(), stable(ran(first).json()).dump());
}

TEST(CliPlan, AFileThatChangedIsRefused) {
  const TemporaryFolder folder;
  spill(folder / "a.json", "[0.5, 0.25]");
  const Args first = {"--scheme",       "rezero:alphas=" + folder / "a.json", "--width", "4", "-o",
                      folder / "r.json"};
  ASSERT_EQ(ran(first).code, 0);
  EXPECT_EQ(ran({"-c", folder / "r.json"}).code, 0);
  spill(folder / "a.json", "[0.5, 0.26]");
  EXPECT_TRUE(contains(refused({"-c", folder / "r.json"}, 3), "a.json"));
}

TEST(CliPlan, BadFilesNameThePathOfTheField) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "empty"},
      {"{", "ends too early"},
      {"[]", "expected an object"},
      {"null", "expected an object"},
      {R"({"shceme": "plain"})", "Did you mean 'scheme'?"},
      {R"({"scheme": ["plain", "rezro"]})", "scheme[1]"},
      {R"({"scheme": []})", "scheme"},
      {R"({"scheme": 3})", "scheme"},
      {R"({"depth": [1, 0]})", "depth[1]"},
      {R"({"depth": [1, 2.5]})", "depth[1]"},
      {R"({"depth": "0"})", "depth"},
      {R"({"width": -1})", "width"},
      {R"({"seed": -1})", "seed"},
      {R"({"seed": 9007199254740993})", "seed"},
      {R"({"seed": ["1", "x"]})", "seed[1]"},
      {R"({"hidden_ratio": "1"})", "hidden_ratio"},
      {R"({"hidden_ratio": 1e999})", "range"},
      {R"({"tied": 1})", "tied"},
      {R"({"depth": 1, "depth": 2})", "duplicate key"},
      {R"({"plan": {"family": "mpl"}})", "plan.family"},
      {R"({"files": [{"path": "x", "sha256": "0"}]})", "files[0].sha256"},
      {std::string(100, '[') + std::string(100, ']'), "deeper than 64"},
      {"{\"scheme\": \"\xff\"}", "UTF-8"},
      {"{\"scheme\": \"\\u009b31m\"}", "scheme"},
      {std::string("{\0}", 3), "zero byte"}};
  for (const auto& [text, part] : bad) {
    spill(folder / "p.json", text);
    const std::string line = refused({"-c", folder / "p.json"}, 3);
    EXPECT_TRUE(contains(line, part)) << text.substr(0, 60) << "\n" << line;
    EXPECT_TRUE(contains(line, "p.json")) << line;
  }
}

}  // namespace
}  // namespace rezero
