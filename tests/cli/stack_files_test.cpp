/// Several inputs and several files: the axes `sample` and `checkpoint`, from the command line to the report.

#include <algorithm>
#include <cstring>

#include "cli/cli_support.h"
#include "rezero/io/npy.h"
#include "rezero/onnx/reader.h"

namespace rezero {
namespace {

std::string reference(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/" + name;
}

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// Some numbers that no two samples have in common.
NpyArray numbers(std::vector<Index> shape) {
  NpyArray array{std::move(shape), {}};
  Index count = 1;
  for (const Index axis : array.shape) count *= axis;
  for (Index i = 0; i < count; ++i) array.values.push_back(std::sin(1.0 + static_cast<Real>(i)));
  return array;
}

/// The row without what says which one it is.
std::string bare(Json row) {
  for (const char* key : {"kind", "stack", "checkpoint", "sample"}) row.erase(key);
  return row.dump();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Models of seven ReZero blocks of 11 features that differ in the gate of block 3: 0 at step_0, 0.5 at
/// step_2, 0.25 at step_10.
class CliCheckpoints : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!onnx::can_read()) GTEST_SKIP() << "this build cannot read ONNX models";
    spill(folder_ / "step_0.onnx", with_gate(0));
    spill(folder_ / "step_2.onnx", with_gate(0.5f));
    spill(folder_ / "step_10.onnx", with_gate(0.25f));
    spill(folder_ / "x.npy", npy_bytes(numbers({1, 11})));
    spill(folder_ / "samples.npy", npy_bytes(numbers({3, 1, 11})));
    for (Index i = 0; i < 3; ++i) {
      const NpyArray all = numbers({3, 1, 11});
      const auto first = all.values.begin() + 11 * i;
      spill(folder_ / ("x_" + std::to_string(i) + ".npy"), npy_bytes({{1, 11}, {first, first + 11}}));
    }
  }

  static std::string with_gate(float gate) {
    std::string bytes = slurp(reference("onnx/wrong_gate_live.onnx"));
    const float before = 0.01f;
    const std::string old(reinterpret_cast<const char*>(&before), sizeof before);
    EXPECT_EQ(count_of(bytes, old), 1u);
    return bytes.replace(bytes.find(old), old.size(), reinterpret_cast<const char*>(&gate), sizeof gate);
  }
  Args models(const Args& more = {}) const { return with({"--onnx", folder_ / "step_*.onnx"}, more); }
  Args all(const Args& more = {}) const { return with(models({"--input", folder_ / "samples.npy"}), more); }

  TemporaryFolder folder_;
};

TEST_F(CliCheckpoints, RowsOfTheAxesHaveTheBytesOfSingleRuns) {
  const Args options = {"--depth", "2,4,7", "--profile"};
  const Ran got = ran(all(options));
  ASSERT_EQ(got.code, 0) << got.err;
  const Json rows = got.json()["results"];
  ASSERT_EQ(rows.size(), 27u);
  std::size_t at = 0, checkpoint = 0;
  for (const char* step : {"step_0.onnx", "step_2.onnx", "step_10.onnx"}) {
    for (int sample = 0; sample < 3; ++sample) {
      const std::string input = folder_ / ("x_" + std::to_string(sample) + ".npy");
      const Json single = ran(with({"--onnx", folder_ / step, "--input", input}, options)).json()["results"];
      ASSERT_EQ(single.size(), 3u);
      for (const Json& row : single) {
        EXPECT_FALSE(row.contains("checkpoint") || row.contains("sample"));
        EXPECT_EQ(rows[at]["stack"], folder_ / step);
        EXPECT_EQ(rows[at]["checkpoint"], checkpoint);
        EXPECT_EQ(rows[at]["sample"], sample);
        EXPECT_EQ(bare(rows[at]), bare(row)) << step << " " << sample;
        ++at;
      }
    }
    ++checkpoint;
  }
}

TEST_F(CliCheckpoints, GatesStandInTheProfile) {
  const Json rows = ran(models({"--input", folder_ / "x.npy", "--profile"})).json()["results"];
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    Json gates = Json::array();
    for (int block = 0; block < 7; ++block)
      gates.push_back(block == 3 ? (i == 0 ? 0 : i == 1 ? 0.5 : 0.25) : 0);
    ASSERT_EQ(rows[i]["profile"]["branch_scale"].size(), rows[i]["blocks"]);
    for (std::size_t block = 0; block < gates.size() && block < rows[i]["blocks"]; ++block)
      EXPECT_EQ(rows[i]["profile"]["branch_scale"][block].get<double>(), gates[block].get<double>());
  }
}

TEST_F(CliCheckpoints, SummariesAreOverSamples) {
  const Json report = ran(all()).json();
  ASSERT_EQ(report["summary"].size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    const Json& row = report["summary"][c];
    EXPECT_EQ(row["checkpoint"], c);
    EXPECT_FALSE(row.contains("sample"));
    double sum = 0, squares = 0;
    for (std::size_t s = 0; s < 3; ++s)
      sum += report["results"][3 * c + s]["metrics"]["sigma_max"].get<double>() / 3;
    for (std::size_t s = 0; s < 3; ++s)
      squares += std::pow(report["results"][3 * c + s]["metrics"]["sigma_max"].get<double>() - sum, 2);
    const Json& summary = row["metrics"]["sigma_max"];
    EXPECT_EQ(summary["count"], 3);
    EXPECT_NEAR(summary["mean"].get<double>(), sum, 1e-14);
    EXPECT_NEAR(summary["stderr"].get<double>(), std::sqrt(squares / 2 / 3), 1e-14);
  }
  EXPECT_EQ(report["summary"][0]["metrics"]["sigma_max"]["stderr"], 0.0) << "the identity at every input";
  EXPECT_GT(report["summary"][1]["metrics"]["sigma_max"]["stderr"], 0.0);
}

TEST_F(CliCheckpoints, AReportIsAPlanOfTheFilesThatMatched) {
  const Ran first = ran(all());
  const Json plan = first.json()["plan"];
  EXPECT_EQ(plan["onnx"], Json({folder_ / "step_0.onnx", folder_ / "step_2.onnx", folder_ / "step_10.onnx"}));
  EXPECT_EQ(plan["files"].size(), 4u);
  spill(folder_ / "report.json", first.out);
  spill(folder_ / "step_11.onnx", with_gate(1));
  const Ran again = ran({"--config", folder_ / "report.json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(stable(again.json()), stable(first.json()));
  spill(folder_ / "step_2.onnx", with_gate(2));
  EXPECT_TRUE(contains(refused({"--config", folder_ / "report.json"}, 3), "step_2.onnx' is not the file"));
}

TEST_F(CliCheckpoints, EachModelMayHaveItsInput) {
  const Json rows = ran(models({"--input", folder_ / "x_*.npy"})).json()["results"];
  ASSERT_EQ(rows.size(), 3u);
  const Json second =
      ran({"--onnx", folder_ / "step_2.onnx", "--input", folder_ / "x_1.npy"}).json()["results"][0];
  EXPECT_EQ(bare(rows[1]), bare(second));
  EXPECT_FALSE(rows[1].contains("sample"));
  const Json report = ran(models({"--input", folder_ / "x_0.npy" + ("," + (folder_ / "x_1.npy")) + "," +
                                                 (folder_ / "x_0.npy")}))
                          .json();
  EXPECT_EQ(bare(report["results"][1]), bare(second));
  EXPECT_EQ(report["plan"]["files"].size(), 5u);
}

TEST_F(CliCheckpoints, EveryFormatSaysWhichRowItIs) {
  const Ran lines = ran(all({"--format", "ndjson"}));
  const Json report = ran(all()).json();
  std::size_t at = 0, row = 0;
  while (at < lines.out.size()) {
    const std::size_t end = lines.out.find('\n', at);
    Json line = Json::parse(lines.out.substr(at, end - at));
    at = end + 1;
    if (line["kind"] != "result") continue;
    line.erase("kind");
    EXPECT_EQ(line.dump(), report["results"][row++].dump());
  }
  EXPECT_EQ(row, 9u);
  const Ran csv = ran(all({"--format", "csv"}));
  EXPECT_TRUE(contains(csv.out, "stack,checkpoint,sample,"));
  EXPECT_TRUE(contains(csv.out, (folder_ / "step_10.onnx") + ",2,1,"));
  const Ran table = ran(all({"--format", "table"}));
  EXPECT_TRUE(contains(table.out, "3 files · 7 blocks of 11 features · 3 samples")) << table.out;
  EXPECT_TRUE(contains(table.out, "mean and standard error over samples."));
  EXPECT_LT(table.out.find("step_2.onnx"), table.out.find("step_10.onnx"));
  EXPECT_EQ(ran(all({"--values", "none"})).json()["results"][0].contains("singular_values"), false);
}

TEST_F(CliCheckpoints, BytesDoNotDependOnThreads) {
  const Json one = ran(all({"--profile", "--threads", "1"})).json()["results"];
  for (const char* threads : {"2", "5", "16"})
    EXPECT_EQ(ran(all({"--profile", "--threads", threads})).json()["results"], one) << threads;
}

TEST_F(CliCheckpoints, VerifyJudgesEachFileAtEachSample) {
  const Ran got = ran(with({"verify"}, all()));
  EXPECT_EQ(got.code, 1);
  const Json verdict = got.json();
  EXPECT_EQ(verdict["pass"], false);
  std::size_t failing = 0;
  for (const Json& check : verdict["checks"]) {
    if (check["check"] != "identity") continue;
    EXPECT_EQ(check["pass"], check["checkpoint"] == 0) << check;
    failing += check["pass"] == false;
  }
  EXPECT_EQ(failing, 6u);
  ASSERT_EQ(verdict["checkpoints"].size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(verdict["checkpoints"][c]["checkpoint"], c);
    EXPECT_EQ(verdict["checkpoints"][c]["pass"], c == 0);
  }
  EXPECT_EQ(verdict["checkpoints"][2]["stack"], folder_ / "step_10.onnx");
  EXPECT_FALSE(ran({"verify", "--onnx", folder_ / "step_0.onnx"}).json().contains("checkpoints"));
  const Ran table = ran(with({"verify"}, all({"--check", "identity", "--format", "table"})));
  EXPECT_TRUE(contains(table.out, "PASS identity  " + (folder_ / "step_0.onnx") + " depth 7 sample 2: "))
      << table.out;
  EXPECT_TRUE(contains(table.out, "6 of 9 checks fail; 2 of 3 files fail\n")) << table.out;
}

TEST_F(CliCheckpoints, DryRunCountsCellsAndMemory) {
  const Ran got = ran(all({"--dry-run"}));
  EXPECT_EQ(got.code, 0);
  EXPECT_TRUE(contains(got.out, "cells    9 (9 rows)")) << got.out;
  EXPECT_TRUE(contains(got.out, "GFLOP each: 9 cells")) << got.out;
}

TEST_F(CliCheckpoints, ASampleThatFailsLeavesTheOthers) {
  NpyArray large = numbers({3, 1, 11});
  for (std::size_t i = 11; i < 22; ++i) large.values[i] = 1e308;
  spill(folder_ / "large.npy", npy_bytes(large));
  const Ran got = ran(models({"--input", folder_ / "large.npy"}));
  EXPECT_EQ(got.code, 4);
  const Json report = got.json();
  ASSERT_EQ(report["failures"].size(), 3u) << "at the closed gate, too: 0 times infinity is no number";
  EXPECT_EQ(report["results"].size(), 6u);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(report["failures"][c]["sample"], 1);
    EXPECT_EQ(report["failures"][c]["checkpoint"], c);
    EXPECT_EQ(report["summary"][c]["metrics"]["sigma_max"]["count"], 2);
  }
  EXPECT_TRUE(contains(got.err, "3 of 9 rows failed: " + (folder_ / "step_0.onnx") + " depth 7 sample 1: "))
      << got.err;
}

TEST_F(CliCheckpoints, NumbersThatAreNoneAreRefusedInAnySample) {
  NpyArray array = numbers({3, 1, 11});
  std::string bytes = npy_bytes(array);
  const double nan = std::nan("");
  std::memcpy(bytes.data() + bytes.size() - sizeof nan, &nan, sizeof nan);
  spill(folder_ / "nan.npy", bytes);
  const std::string line = refused(models({"--input", folder_ / "nan.npy"}), 3);
  EXPECT_TRUE(contains(line, "nan.npy") && contains(line, "32")) << line;
}

TEST_F(CliCheckpoints, SamplesOfOtherTypesAndOrders) {
  NpyArray array = numbers({2, 1, 11});
  for (Real& x : array.values) x = static_cast<float>(x);
  spill(folder_ / "double.npy", npy_bytes(array));
  std::string header = "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 1, 11), }", data;
  for (Index i = 0; i < 22; ++i) {  // first axis fastest
    const auto value = static_cast<float>(array.values[static_cast<std::size_t>(i % 2 * 11 + i / 2)]);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    std::reverse(raw, raw + sizeof raw);
    data.append(raw, sizeof raw);
  }
  header.append(118 - header.size() - 1, ' ').push_back('\n');
  spill(folder_ / "float.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data);
  const auto rows = [&](const char* name) {
    return ran(models({"--input", folder_ / name})).json()["results"];
  };
  EXPECT_EQ(rows("float.npy"), rows("double.npy"));
  EXPECT_EQ(rows("float.npy").size(), 6u);
}

TEST_F(CliCheckpoints, TheOptionMayBeRepeated) {
  const Args common = {"--input", folder_ / "x.npy"};
  const std::string first = folder_ / "step_10.onnx", second = folder_ / "step_2.onnx";
  const Json list = ran(with({"--onnx", first + "," + second}, common)).json()["results"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["stack"], first) << "in the order written";
  EXPECT_EQ(ran(with({"--onnx", first, "--onnx", second}, common)).json()["results"], list);
}

TEST_F(CliCheckpoints, AnUnquotedPatternIsExplained) {
  const std::string line =
      refused({"--onnx", folder_ / "step_0.onnx", folder_ / "step_2.onnx", "--input", folder_ / "x.npy"}, 2);
  EXPECT_TRUE(contains(line, "after --onnx") && contains(line, "needs quotes")) << line;
}

TEST_F(CliCheckpoints, Refusals) {
  const std::string none = folder_ / "ckpt_*.onnx";
  EXPECT_TRUE(contains(refused({"--onnx", none}, 2), "--onnx '" + none + "' matches no file"));
  EXPECT_TRUE(contains(refused({"--stack", none}, 2), "--stack '" + none + "' matches no file"));
  std::filesystem::create_directory(folder_ / "ckpt_1.onnx");
  EXPECT_TRUE(contains(refused({"--onnx", none}, 2), "matches no file (only folders)"));
  spill(folder_ / "empty.npy", npy_bytes({{0, 1, 11}, {}}));
  EXPECT_TRUE(contains(refused(models({"--input", folder_ / "empty.npy"}), 2), "holds no samples"));
  spill(folder_ / "batch.npy", npy_bytes(numbers({3, 11})));
  EXPECT_TRUE(contains(refused(models({"--input", folder_ / "batch.npy"}), 2), "is 3 × 11"));
  spill(folder_ / "deep.npy", npy_bytes(numbers({2, 3, 1, 11})));
  EXPECT_TRUE(contains(refused(models({"--input", folder_ / "deep.npy"}), 2), "is 2 × 3 × 1 × 11"));
  spill(folder_ / "list.npy", npy_bytes(numbers({3, 2, 11})));
  EXPECT_TRUE(
      contains(refused(models({"--input", folder_ / "list.npy"}), 2), "a list of samples, is 2 × 11"));
  EXPECT_TRUE(contains(refused(models({"--input", folder_ / "x_[01].npy"}), 2), "2 files for 3 stacks"));
  EXPECT_TRUE(contains(refused(all({"--seed", "1,2"}), 2), "--seed takes one seed"));
  EXPECT_TRUE(contains(refused(all({"--depth", "8"}), 2), "--depth 8 is more than the 7 blocks"));
  EXPECT_TRUE(contains(refused(all({"--width", "7"}), 2), "--width and --onnx"));
  EXPECT_TRUE(contains(refused(all({"--stack", "a"}), 2), "--onnx and --stack contradict"));
  const std::string mixed = (folder_ / "step_2.onnx") + "," + reference("onnx/rezero_mlp.onnx");
  EXPECT_TRUE(contains(refused({"--onnx", mixed}, 2), "rezero_mlp.onnx' has "));
  EXPECT_TRUE(contains(refused({"--onnx", (folder_ / "step_2.onnx") + "," + (folder_ / "gone.onnx")}, 3),
                       "gone.onnx"));
  spill(folder_ / "step_3.onnx", "no model");
  EXPECT_TRUE(contains(refused(all(), 3), "step_3.onnx"));
}

TEST_F(CliCheckpoints, TheOutputIsNoneOfTheFiles) {
  for (const char* name : {"step_2.onnx", "samples.npy"})
    EXPECT_TRUE(contains(refused(all({"-o", folder_ / name}), 2), "would overwrite")) << name;
  EXPECT_TRUE(contains(refused(models({"--input", folder_ / "x_*.npy", "-o", folder_ / "x_1.npy"}), 2),
                       "would overwrite"));
}

TEST_F(CliCheckpoints, ANameWithTheSignsOfAPatternIsTheFile) {
  std::filesystem::copy(folder_ / "step_2.onnx", folder_ / "step_[2].onnx");
  const Json report = ran({"--onnx", folder_ / "step_[2].onnx", "--input", folder_ / "samples.npy"}).json();
  EXPECT_EQ(report["results"][0]["stack"], folder_ / "step_[2].onnx");
  spill(folder_ / "report.json", report.dump());
  std::filesystem::remove(folder_ / "step_[2].onnx");
  EXPECT_TRUE(contains(refused({"--config", folder_ / "report.json"}, 3), "step_[2].onnx"));
}

TEST_F(CliCheckpoints, OneSampleIsStillAnAxis) {
  spill(folder_ / "one.npy", npy_bytes(numbers({1, 1, 11})));
  const Json report = ran({"--onnx", folder_ / "step_2.onnx", "--input", folder_ / "one.npy"}).json();
  EXPECT_EQ(report["results"][0]["sample"], 0);
  EXPECT_TRUE(report["summary"][0]["metrics"]["sigma_max"]["stderr"].is_null());
}

TEST(CliStackCheckpoints, StackFilesHaveTheSameAxes) {
  const TemporaryFolder folder;
  for (const char* seed : {"9", "10"})
    ASSERT_EQ(ran({"export", "--scheme", "residual", "--depth", "3", "--width", "6", "--tokens", "2",
                   "--seed", seed, "-o", folder / ("s" + std::string(seed) + ".safetensors")})
                  .code,
              0);
  spill(folder / "samples.npy", npy_bytes(numbers({4, 2, 6})));
  const NpyArray all = numbers({4, 2, 6});
  spill(folder / "x.npy", npy_bytes({{2, 6}, {all.values.begin() + 24, all.values.begin() + 36}}));
  const Args both = {"--stack", folder / "s*.safetensors", "--input", folder / "samples.npy", "--depth",
                     "1,3"};
  const Ran got = ran(both);
  ASSERT_EQ(got.code, 0) << got.err;
  const Json rows = got.json()["results"];
  ASSERT_EQ(rows.size(), 16u);
  EXPECT_EQ(rows[0]["stack"], folder / "s9.safetensors");
  const Json single =
      ran({"--stack", folder / "s10.safetensors", "--input", folder / "x.npy", "--depth", "1,3"}).json();
  EXPECT_EQ(rows[12]["sample"], 2);
  EXPECT_EQ(bare(rows[12]), bare(single["results"][0]));
  EXPECT_EQ(bare(rows[13]), bare(single["results"][1]));
  const Json own = ran({"--stack", folder / "s*.safetensors"}).json()["results"];
  EXPECT_EQ(bare(own[1]), bare(ran({"--stack", folder / "s10.safetensors"}).json()["results"][0]));
  EXPECT_EQ(ran(with({"verify", "--check", "alive"}, both)).code, 0);
  const Json view = ran(with(both, {"--wrt", "token:0", "--of", "token:1", "--top", "1"})).json()["results"];
  EXPECT_EQ(view[0]["singular_values"].size(), 1u);
  EXPECT_TRUE(contains(refused(with(both, {"--wrt", "token:2"}), 2), "beyond the 2 tokens"));
  EXPECT_TRUE(contains(refused(with(both, {"--seed", "1"}), 2), "--seed and --stack"));
}

}  // namespace
}  // namespace rezero
