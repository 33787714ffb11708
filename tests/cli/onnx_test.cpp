/// --onnx from the command line to the report, and inspect.

#include <filesystem>
#include <fstream>

#include "cli/cli_support.h"
#include "rezero/onnx/reader.h"

namespace rezero {
namespace {

std::string model(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/onnx/" + name;
}

class CliOnnx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!onnx::can_read()) GTEST_SKIP() << "this build cannot read ONNX models";
  }
};

TEST_F(CliOnnx, ReportsTheSpectrumAndThePlan) {
  const Args args = {"--onnx", model("rezero_mlp.onnx"), "--input", model("rezero_mlp.input.npy"), "--depth",
                     "1:6"};
  const Ran got = ran(args);
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json();
  ASSERT_EQ(report["results"].size(), 6u);
  for (const Json& row : report["results"]) {
    EXPECT_EQ(row["stack"], model("rezero_mlp.onnx"));
    for (const Json& sigma : row["singular_values"]) EXPECT_EQ(sigma, 1.0);
  }
  EXPECT_EQ(report["plan"]["from"], "input");
  EXPECT_EQ(report["plan"]["to"], "output");
  EXPECT_EQ(report["plan"]["files"].size(), 2u);
}

TEST_F(CliOnnx, AReportIsAPlan) {
  const TemporaryFolder folder;
  const Ran first = ran({"--onnx", model("two_inputs.onnx"), "--input", model("two_inputs.input.npy"),
                         "--feed", "condition=" + model("two_inputs.condition.npy")});
  ASSERT_EQ(first.code, 0) << first.err;
  spill(folder / "report.json", first.out);
  const Ran again = ran({"--config", folder / "report.json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["plan"], first.json()["plan"]);
  EXPECT_EQ(again.json()["results"], first.json()["results"]);
}

TEST_F(CliOnnx, VerifyNamesTheGate) {
  const Ran got =
      ran({"verify", "--onnx", model("wrong_gate_live.onnx"), "--input", model("wrong_gate_live.input.npy")});
  EXPECT_EQ(got.code, 1);
  const Json culprit = got.json()["checks"][0]["culprits"][0];
  EXPECT_EQ(culprit["block"], 3);
  EXPECT_EQ(culprit["parameter"], "layers.3.resweight");
  EXPECT_EQ(culprit["reason"], "branch scale 0.01");
}

TEST_F(CliOnnx, ANumberThatIsNoneIsReported) {
  const Ran got = ran({"--onnx", model("bad/not_finite.onnx"), "--input", model("bad/not_finite.input.npy"),
                       "--from", "x", "--to", "y"});
  EXPECT_EQ(got.code, 4);
  EXPECT_TRUE(contains(got.out, "root_1")) << got.out;
}

TEST_F(CliOnnx, OptionsThatContradictEachOther) {
  const std::string gpt2 = model("gpt2.onnx");
  EXPECT_TRUE(
      contains(refused({"--onnx", gpt2, "--width", "8"}, 2), "--width and --onnx contradict each other"));
  EXPECT_TRUE(contains(refused({"--onnx", gpt2, "--final-norm"}, 2), "--final-norm and --onnx"));
  EXPECT_TRUE(contains(refused({"--from", "x"}, 2), "--from needs --onnx"));
  EXPECT_TRUE(contains(refused({"--onnx", gpt2, "--depth", "9"}, 2), "the 4 blocks of --onnx"));
  EXPECT_TRUE(contains(refused({"--onnx", gpt2, "--dim", "batch=2"}, 2), "no symbolic dimension"));
  EXPECT_TRUE(contains(refused({"--onnx", model("dynamic_axes.onnx")}, 2), "--dim batch=SIZE"));
  EXPECT_TRUE(contains(refused({"--onnx", model("two_inputs.onnx")}, 2), "--feed condition=FILE.npy"));
  EXPECT_TRUE(contains(refused({"--onnx", gpt2, "--input", model("rezero_mlp.input.npy")}, 2), "is 1 × 12"));
  EXPECT_TRUE(contains(refused({"--onnx", gpt2, "--block-pattern", "("}, 2), "no regular expression"));
}

/// A replayed plan notices other weights beside the model.
TEST_F(CliOnnx, ExternalDataBelongsToThePlan) {
  const TemporaryFolder folder;
  const auto copy = [&](const std::string& name) {
    std::filesystem::copy_file(model(name), folder / name);
    return folder / name;
  };
  const std::string file = copy("hand_external_data.onnx"), weights = copy("hand_external_data.weights");
  const Ran dumped = ran({"--onnx", file, "--input", copy("hand_external_data.input.npy"), "--dump-plan"});
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  ASSERT_EQ(dumped.json()["files"].size(), 3u) << dumped.out;
  const std::string plan = folder / "plan.json";
  std::ofstream(plan) << dumped.out;
  EXPECT_EQ(ran({"-c", plan, "--values", "none"}).code, 0);
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary).write("\x01", 1);
  EXPECT_TRUE(contains(refused({"-c", plan}, 3), "is not the file of the plan"));
}

TEST_F(CliOnnx, TheReportNamesDropoutMasks) {
  const Ran got = ran({"--onnx", model("rezero_transformer_dropout.onnx"), "--input",
                       model("rezero_transformer_dropout.input.npy"), "--values", "none"});
  ASSERT_EQ(got.code, 0) << got.err;
  const Json plan = got.json()["plan"];
  ASSERT_TRUE(plan.contains("dropout")) << plan;
  EXPECT_FALSE(plan["dropout"].empty());
  const TemporaryFolder folder;
  std::ofstream(folder / "plan.json") << plan.dump();
  EXPECT_EQ(ran({"-c", folder / "plan.json"}).json()["plan"], plan);
}

TEST_F(CliOnnx, SizesOfDimensionsMayBeRepeated) {
  const std::string file = model("dynamic_axes.onnx");
  const Ran inspected = ran({"inspect", file});
  EXPECT_TRUE(contains(inspected.out, "batch")) << inspected.out;
  const Ran listed = ran({"--onnx", file, "--dim", "batch=2,sequence=3", "--dump-plan"});
  const Ran repeated = ran({"--onnx", file, "--dim", "batch=2", "--dim", "sequence=3", "--dump-plan"});
  EXPECT_EQ(repeated.code, 0) << repeated.err;
  EXPECT_EQ(repeated.out, listed.out);
}

TEST_F(CliOnnx, BlockPatternChooses) {
  const Ran got =
      ran({"--onnx", model("gpt2.onnx"), "--input", model("gpt2.input.npy"), "--block-pattern", "h\\.[02]/"});
  ASSERT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.json()["plan"]["depth"], Json({2}));
}

TEST_F(CliOnnx, InspectShowsBlocksAndGates) {
  const Ran text = ran({"inspect", model("rezero_mlp.onnx")});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "gate layers.5.resweight = 0")) << text.out;
  const Json json = ran({"inspect", model("rezero_mlp.onnx"), "--format", "json"}).json();
  EXPECT_EQ(json["blocks"].size(), 6u);
  EXPECT_EQ(json["blocks"][0]["gate"], "layers.0.resweight");
  EXPECT_EQ(json["operators"]["Gemm"], 12);
  const Json bad = ran({"inspect", model("bad/unsupported_operator.onnx"), "--format", "json"}).json();
  EXPECT_EQ(bad["unsupported"][0]["operator"], "LSTM");
  EXPECT_TRUE(bad["blocks"].is_null());
}

TEST_F(CliOnnx, BytesDoNotDependOnThreads) {
  const auto results = [](const std::string& threads) {
    return ran({"--onnx", model("gpt2.onnx"), "--input", model("gpt2.input.npy"), "--depth", "1:4",
                "--profile", "--threads", threads})
        .json()["results"];
  };
  const Json one = results("1");
  for (const char* threads : {"2", "3", "8"}) EXPECT_EQ(results(threads), one) << threads;
}

}  // namespace
}  // namespace rezero
