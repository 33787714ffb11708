/// verify --expect-scheme, from the command line to the verdict.

#include <algorithm>
#include <cmath>

#include "cli/cli_support.h"
#include "rezero/io/npy.h"
#include "rezero/onnx/reader.h"

namespace rezero {
namespace {

/// A stack file of that scheme, as `export` writes it.
class CliRecipe : public ::testing::Test {
 protected:
  std::string exported(const std::string& scheme, const Args& more = {}) {
    const std::string path = folder_ / ("stack" + std::to_string(count_++) + ".safetensors");
    Args args = {"export", "--scheme", scheme, "-o", path};
    const auto given = [&more](const std::string& option) {
      return std::find(more.begin(), more.end(), option) != more.end();
    };
    for (const auto& [option, value] : {std::pair("--depth", "3"), std::pair("--width", "32")})
      if (!given(option)) args.insert(args.end(), {option, value});
    if (!given("--family")) args.insert(args.end(), {"--family", "transformer", "--tokens", "4"});
    args.insert(args.end(), more.begin(), more.end());
    const Ran got = ran(args);
    EXPECT_EQ(got.code, 0) << got.err;
    return path;
  }
  Ran judged(const std::string& path, const std::string& scheme, const Args& more = {}) {
    Args args = {"verify", "--stack", path, "--expect-scheme", scheme};
    args.insert(args.end(), more.begin(), more.end());
    return ran(args);
  }

  TemporaryFolder folder_;
  int count_ = 0;
};

TEST_F(CliRecipe, AFileFollowsItsOwnSchemeOnly) {
  const std::vector<std::string> schemes = {"gpt2", "t-fixup", "deepnorm", "fixup", "rezero"};
  for (const std::string& drawn : schemes) {
    const std::string path = exported(drawn);
    for (const std::string& claimed : schemes) {
      const Ran got = judged(path, claimed);
      EXPECT_EQ(got.code, drawn == claimed ? 0 : 1)
          << drawn << " " << claimed << got.out.substr(0, 2000) << got.err;
      const Json verdict = got.json();
      ASSERT_EQ(verdict["checks"].size(), 1u);
      EXPECT_EQ(verdict["checks"][0]["check"], "recipe");
      EXPECT_EQ(verdict["pass"], drawn == claimed);
    }
  }
}

TEST_F(CliRecipe, TheVerdictHasLevelIntervalsAndAllTensors) {
  const Json verdict = judged(exported("gpt2"), "gpt2").json();
  const Json& recipe = verdict["checks"][0]["recipe"];
  EXPECT_EQ(recipe["scheme"], "gpt2");
  EXPECT_EQ(recipe["family"], "transformer");
  EXPECT_EQ(recipe["level"], 0.001);
  ASSERT_EQ(recipe["tensors"].size(), 18u);
  EXPECT_NEAR(recipe["level_of_tensor"].get<Real>(), 0.001 / 18, 1e-15);
  // Σ c_proj: 0.02/√(2 · 3)
  for (const Json& tensor : recipe["tensors"]) {
    const std::string name = tensor["tensor"];
    const bool last = contains(name, "output") || contains(name, "down");
    EXPECT_NEAR(tensor["expected_rms"].get<Real>(), last ? 0.02 / std::sqrt(6.0) : 0.02, 1e-15) << name;
    EXPECT_LT(tensor["rms_low"], tensor["rms"]) << name;
    EXPECT_LT(tensor["rms"], tensor["rms_high"]) << name;
    EXPECT_EQ(tensor["law"], "normal");
  }
  EXPECT_EQ(verdict["plan"]["expect_scheme"], "gpt2");
  EXPECT_EQ(verdict["plan"]["expect_level"], 0.001);
  EXPECT_FALSE(verdict["plan"].contains("check"));
}

TEST_F(CliRecipe, AVerdictIsAPlan) {
  const std::string path = exported("t-fixup");
  for (const Args& more : {Args{}, Args{"--check", "alive"}}) {
    const Ran first = judged(path, "deepnorm", more);
    EXPECT_EQ(first.code, 1);
    spill(folder_ / "verdict.json", first.out);
    const Ran again = ran({"verify", "--config", folder_ / "verdict.json"});
    EXPECT_EQ(again.code, 1) << again.err;
    EXPECT_EQ(again.json()["plan"], first.json()["plan"]);
    EXPECT_EQ(again.json()["checks"], first.json()["checks"]);
  }
}

TEST_F(CliRecipe, TheTableListsTheTensors) {
  const std::string path = exported("gpt2", {"--depth", "1", "--init", "normal:std=0.03"});
  const Ran got = judged(path, "gpt2", {"--format", "table"});
  EXPECT_EQ(got.code, 1);
  std::string text = got.out;
  for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.replace(at, path.size(), "FILE");
  expect_golden("verify_recipe.txt", text);
}

TEST_F(CliRecipe, OtherChecksComeOnDemand) {
  const std::string path = exported("gpt2");
  const Json both = judged(path, "gpt2", {"--check", "identity,alive"}).json();
  ASSERT_EQ(both["checks"].size(), 3u);
  EXPECT_FALSE(both["checks"][0]["pass"].get<bool>());
  EXPECT_EQ(both["checks"][2]["check"], "recipe");
  EXPECT_TRUE(both["checks"][2]["pass"].get<bool>());
}

/// Each file has a verdict of its own, and one for all samples.
TEST_F(CliRecipe, EachOfSeveralFilesIsCompared) {
  const std::string good = exported("gpt2"), other = exported("deepnorm");
  const auto of = [&](const Args& more) { return judged(good + "," + other, "gpt2", more); };
  const Ran got = of({});
  EXPECT_EQ(got.code, 1) << got.err;
  const Json verdict = got.json();
  ASSERT_EQ(verdict["checks"].size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    const Json& check = verdict["checks"][c];
    EXPECT_EQ(check["checkpoint"], c);
    EXPECT_EQ(check["pass"], c == 0);
    EXPECT_EQ(verdict["checkpoints"][c]["pass"], c == 0);
    const Json single = judged(c == 0 ? good : other, "gpt2").json()["checks"][0];
    EXPECT_EQ(check["recipe"], single["recipe"]);
    EXPECT_EQ(check["culprits"], single["culprits"]);
  }
  spill(folder_ / "verdict.json", got.out);
  EXPECT_EQ(ran({"verify", "--config", folder_ / "verdict.json"}).json()["checks"], verdict["checks"]);
  std::vector<Real> numbers;
  for (int i = 0; i < 3 * 4 * 32; ++i) numbers.push_back(std::sin(1.0 + i));
  spill(folder_ / "samples.npy", npy_bytes({{3, 4, 32}, numbers}));
  const Args samples = {"--input", folder_ / "samples.npy"};
  EXPECT_EQ(of(samples).json()["checks"].size(), 2u);
  const Json both = of({"--input", folder_ / "samples.npy", "--check", "alive"}).json()["checks"];
  ASSERT_EQ(both.size(), 8u) << "alive at each sample";
  std::size_t recipes = 0;
  for (const Json& check : both) {
    if (check["check"] != "recipe") continue;
    EXPECT_EQ(check["sample"], 0);
    ++recipes;
  }
  EXPECT_EQ(recipes, 2u);
}

/// The rule counts the layers of the file; the verdict is about the first blocks.
TEST_F(CliRecipe, DepthSelectsBlocks) {
  const std::string path = exported("gpt2");
  const Ran got = judged(path, "gpt2", {"--depth", "2,6"});
  EXPECT_EQ(got.code, 0) << got.out;
  const Json verdict = got.json();
  ASSERT_EQ(verdict["checks"].size(), 2u);
  EXPECT_EQ(verdict["checks"][0]["recipe"]["tensors"].size(), 6u);
  EXPECT_EQ(verdict["checks"][1]["recipe"]["tensors"].size(), 18u);
}

TEST_F(CliRecipe, TheInitializerAndTheLevelAreTheUsers) {
  const std::string path = exported("rezero", {"--family", "mlp", "--init", "torch-default"});
  EXPECT_EQ(judged(path, "rezero", {"--expect-init", "torch-default"}).code, 0);
  EXPECT_EQ(judged(path, "rezero", {"--expect-init", "he"}).code, 1);
  EXPECT_EQ(judged(path, "rezero:alpha=0.5", {"--expect-init", "torch-default"}).code, 1);
  const Json strict =
      judged(path, "rezero", {"--expect-init", "torch-default", "--expect-level", "0.9"}).json();
  EXPECT_EQ(strict["checks"][0]["recipe"]["level"], 0.9);
}

/// A width whose Jacobian would take 34 GB: nothing is passed through the stack.
TEST_F(CliRecipe, NeedsNoJacobian) {
  const std::string path =
      exported("gpt2", {"--family", "attention", "--depth", "1", "--tokens", "2048", "--width", "32"});
  const Ran got = judged(path, "gpt2", {"--max-memory", "200M"});
  EXPECT_EQ(got.code, 0) << got.out.substr(0, 2000) << got.err;
}

TEST_F(CliRecipe, RefusesWhatHasNoMeaning) {
  const std::string path = exported("rezero", {"--family", "mlp"});
  EXPECT_TRUE(contains(refused({"verify", "--scheme", "rezero", "--expect-scheme", "rezero"}, 2),
                       "--expect-scheme needs --stack, --checkpoint or --onnx FILE"));
  EXPECT_TRUE(contains(refused({"verify", "--stack", path, "--expect-init", "he"}, 2),
                       "--expect-init needs --expect-scheme NAME"));
  EXPECT_TRUE(contains(refused({"verify", "--stack", path, "--expect-level", "0.1"}, 2),
                       "--expect-level needs --expect-scheme NAME"));
  EXPECT_TRUE(contains(refused({"verify", "--stack", path, "--expect-scheme", "rezro"}, 2),
                       "Did you mean 'rezero'?"));
  EXPECT_TRUE(
      contains(refused({"verify", "--stack", path, "--expect-scheme", "zero-gamma"}, 2), "zero-gamma"));
  for (const std::string level : {"0", "1", "-1", "nan", "1e-13"})
    EXPECT_TRUE(contains(
        refused({"verify", "--stack", path, "--expect-scheme", "rezero", "--expect-level", level}, 2),
        "--expect-level"))
        << level;
  EXPECT_TRUE(
      contains(refused({"verify", "--stack", path, "--check", "recipe"}, 2), "use --expect-scheme NAME"));
  refused({"--stack", path, "--expect-scheme", "rezero"}, 2);  // verify only
}

class CliRecipeOfGraph : public CliRecipe {
 protected:
  void SetUp() override {
    if (!onnx::can_read()) GTEST_SKIP() << "this build cannot read ONNX models";
  }
  Ran judged(const std::string& name, const std::string& scheme, const std::string& init) {
    const std::string path = std::string(REZERO_TEST_DATA) + "/reference/onnx/" + name;
    return ran({"verify", "--onnx", path + ".onnx", "--input", path + ".input.npy", "--expect-scheme", scheme,
                "--expect-init", init});
  }
};

TEST_F(CliRecipeOfGraph, ExportedModels) {
  const Ran got = judged("rezero_mlp", "rezero", "torch-default");
  EXPECT_EQ(got.code, 0) << got.out.substr(0, 3000) << got.err;
  EXPECT_FALSE(got.json()["checks"][0]["recipe"]["compares_wiring"].get<bool>());
  EXPECT_EQ(judged("rezero_mlp", "residual", "torch-default").code, 1);
  EXPECT_EQ(judged("llama", "residual", "torch-default").code, 0);  // no biases
  EXPECT_EQ(judged("gpt2", "residual", "torch-default").code, 0);
  EXPECT_EQ(judged("gpt2", "gpt2", "normal").code, 1);  // exported with torch's defaults
}

}  // namespace
}  // namespace rezero
