/// --checkpoint from the command line to the report, verdict and stack file, and inspect.

#include "cli/cli_support.h"
#include "io/checkpoint_support.h"
#include "rezero/io/npy.h"

namespace rezero {
namespace {

std::string fixture(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/checkpoints/" + name;
}

/// The options of a fixture, as tests/reference/checkpoints/expected.json has them.
Args options_of(const std::string& name) {
  Args args = {"--checkpoint", fixture(name + ".safetensors"), "--input", fixture(name + ".input.npy")};
  const Json all = Json::parse(slurp(fixture("expected.json")));
  for (const Json& word : all[name]["options"]) args.push_back(word.get<std::string>());
  return args;
}

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(CliCheckpoint, ReportsTheSpectrumAndThePlan) {
  const Ran got = ran(with(options_of("llama_wide_heads"), {"--profile"}));
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json();
  EXPECT_EQ(report["plan"]["layout"], "llama:rope=5e+05");
  EXPECT_EQ(report["plan"]["heads"], 4);  // from the frequencies
  EXPECT_EQ(report["plan"]["tokens"], 3);
  EXPECT_EQ(report["plan"]["depth"], Json({4}));
  EXPECT_EQ(report["plan"]["files"].size(), 2u);
  EXPECT_EQ(report["results"][0]["stack"], fixture("llama_wide_heads.safetensors"));
  EXPECT_EQ(
      got.err,
      "note: not part of the stack: language_model.model.embed_tokens.weight, "
      "language_model.model.layers.0.self_attn.rotary_emb.inv_freq, "
      "language_model.model.layers.1.self_attn.rotary_emb.inv_freq and 1 more\n"
      "note: not applied: the norm after the stack, language_model.model.norm.weight (--final-norm applies "
      "it)\n");
}

TEST(CliCheckpoint, AReportIsAPlan) {
  const TemporaryFolder folder;
  for (const char* name : {"torch_encoder_pre", "gpt2_linear", "rezero_rztx"}) {
    const Ran first = ran(options_of(name));
    ASSERT_EQ(first.code, 0) << first.err;
    spill(folder / "report.json", first.out);
    const Ran again = ran({"--config", folder / "report.json"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.json()["plan"], first.json()["plan"]) << name;
    EXPECT_EQ(again.json()["results"], first.json()["results"]) << name;
  }
}

TEST(CliCheckpoint, RandomInputsHaveASeed) {
  const Args base = {"--checkpoint", fixture("gpt2.safetensors"), "--layout", "gpt2", "--heads", "2",
                     "--quiet"};
  const Json plain = ran(base).json();
  EXPECT_EQ(plain["plan"]["input"], "normal");
  EXPECT_EQ(plain["plan"]["tokens"], 16);
  EXPECT_EQ(ran(with(base, {"--seed", "0"})).json()["results"], plain["results"]);
  EXPECT_NE(ran(with(base, {"--seed", "1"})).json()["results"], plain["results"]);
  EXPECT_EQ(ran(with(base, {"--tokens", "2"})).json()["results"][0]["dimension"], 16);
}

TEST(CliCheckpoint, BytesDoNotDependOnThreads) {
  const auto results = [](const std::string& threads) {
    return ran(with(options_of("torch_encoder"), {"--depth", "1:4", "--profile", "--threads", threads}))
        .json()["results"];
  };
  const Json one = results("1");
  for (const char* threads : {"2", "3", "8"}) EXPECT_EQ(results(threads), one) << threads;
}

TEST(CliCheckpoint, VerifyNamesTheTensor) {
  const Ran got = ran(with({"verify"}, options_of("rezero_rztx")));
  EXPECT_EQ(got.code, 1) << got.err;
  const Json culprits = got.json()["checks"][0]["culprits"];
  EXPECT_EQ(culprits[0]["parameter"], "model.layers.0.resweight");
  EXPECT_EQ(culprits[1]["block"], 1);
  EXPECT_EQ(culprits[1]["parameter"], "model.layers.0.resweight");
  EXPECT_EQ(culprits[2]["parameter"], "model.layers.1.resweight");
  const Json post = ran(with({"verify"}, options_of("torch_encoder"))).json()["checks"][0]["culprits"];
  EXPECT_EQ(post[1]["parameter"], "layers.0.norm1.weight");
  EXPECT_EQ(post[1]["reason"], "norm after the sum: layer_norm");
}

TEST(CliCheckpoint, VerifyPassesAFreshModel) {
  const TemporaryFolder folder;
  std::vector<Tensor> tensors = test::state_dict("rezero-rztx");
  for (Tensor& tensor : tensors)
    if (contains(tensor.name, "resweight")) tensor.values = {0};
  spill(folder / "fresh.safetensors", safetensors_bytes({}, tensors));
  const Ran got = ran(
      {"verify", "--checkpoint", folder / "fresh.safetensors", "--layout", "rezero-rztx", "--heads", "2"});
  EXPECT_EQ(got.code, 0) << got.out;
  EXPECT_EQ(got.json()["checks"][0]["value"], 0);
}

TEST(CliCheckpoint, ExportGivesTheSameStack) {
  const TemporaryFolder folder;
  for (const char* name : {"torch_encoder", "torch_encoder_pre", "rezero_rztx", "gpt2", "llama"}) {
    const std::string path = folder / (std::string(name) + ".safetensors");
    ASSERT_EQ(ran(with({"export", "-o", path}, options_of(name))).code, 0) << name;
    const Json direct = ran(with(options_of(name), {"--depth", "1:4", "--quiet"})).json()["results"],
               stack = ran({"--stack", path, "--depth", "1:4"}).json()["results"];
    ASSERT_EQ(direct.size(), stack.size());
    for (std::size_t i = 0; i < stack.size(); ++i)
      EXPECT_EQ(direct[i]["singular_values"], stack[i]["singular_values"]) << name << " " << i;
  }
  EXPECT_TRUE(
      contains(refused(with({"export", "--quiet", "-o", folder / "x"}, options_of("gpt2")), 2), "--quiet"));
  const Ran wide = ran(with({"export", "-o", folder / "x"}, options_of("llama_wide_heads")));
  EXPECT_EQ(wide.code, 2);
  EXPECT_TRUE(contains(wide.err, "4 of them are not the 6 features")) << wide.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

/// A model of two layers of four features whose gates are all equal.
std::string with_gates(Real gate) {
  std::vector<Tensor> tensors = test::state_dict("rezero-rztx");
  for (Tensor& tensor : tensors)
    if (contains(tensor.name, "resweight")) tensor.values = {gate};
  return safetensors_bytes({}, tensors);
}

/// The row without what says which one it is.
Json bare(Json row) {
  for (const char* key : {"stack", "checkpoint", "sample"}) row.erase(key);
  return row;
}

TEST(CliCheckpoint, SeveralFilesAndSamplesAreAxes) {
  const TemporaryFolder folder;
  for (const auto& [name, gate] :
       {std::pair("step_0", 0.0), std::pair("step_2", 0.5), std::pair("step_10", 0.25)})
    spill(folder / (std::string(name) + ".safetensors"), with_gates(gate));
  NpyArray samples{{2, 3, 4}, {}};
  for (int i = 0; i < 24; ++i) samples.values.push_back(std::sin(1.0 + i));
  spill(folder / "samples.npy", npy_bytes(samples));
  const auto half = samples.values.begin() + 12;
  spill(folder / "x_0.npy", npy_bytes({{3, 4}, {samples.values.begin(), half}}));
  spill(folder / "x_1.npy", npy_bytes({{3, 4}, {half, samples.values.end()}}));
  const Args reading = {"--layout", "rezero-rztx", "--heads", "2", "--depth", "2,4", "--profile"};
  const auto of = [&](const std::string& file, const std::string& input) {
    return with({"--checkpoint", folder / file, "--input", folder / input}, reading);
  };
  const Ran got = ran(of("step_*.safetensors", "samples.npy"));
  ASSERT_EQ(got.code, 0) << got.err;
  const Json report = got.json(), rows = report["results"];
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(report["summary"].size(), 6u);
  EXPECT_EQ(report["plan"]["checkpoint"], Json({folder / "step_0.safetensors", folder / "step_2.safetensors",
                                                folder / "step_10.safetensors"}));
  EXPECT_EQ(report["plan"]["files"].size(), 4u);
  EXPECT_EQ(report["plan"]["tokens"], 3);
  std::size_t at = 0;
  for (const char* step : {"step_0.safetensors", "step_2.safetensors", "step_10.safetensors"})
    for (int sample = 0; sample < 2; ++sample) {
      const Json single = ran(of(step, "x_" + std::to_string(sample) + ".npy")).json()["results"];
      ASSERT_EQ(single.size(), 2u);
      for (const Json& row : single) {
        EXPECT_FALSE(row.contains("checkpoint") || row.contains("sample"));
        EXPECT_EQ(rows[at]["stack"], folder / step);
        EXPECT_EQ(rows[at]["checkpoint"], at / 4);
        EXPECT_EQ(rows[at]["sample"], sample);
        EXPECT_EQ(bare(rows[at]), bare(row)) << step << " " << sample;
        ++at;
      }
    }
  spill(folder / "report.json", got.out);
  const Ran again = ran({"--config", folder / "report.json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(stable(again.json()), stable(report));
  const Args verify = {
      "verify", "--checkpoint", folder / "step_*.safetensors", "--layout", "rezero-rztx", "--heads", "2"};
  const Json verdict = ran(verify).json();
  ASSERT_EQ(verdict["checkpoints"].size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(verdict["checkpoints"][c]["pass"], c == 0);
}

TEST(CliCheckpoint, SeveralFilesMustBeOfOneModel) {
  const TemporaryFolder folder;
  spill(folder / "a.safetensors", with_gates(0));
  test::SmallModel deeper;
  deeper.layers = 3;
  spill(folder / "b.safetensors", safetensors_bytes({}, test::state_dict("rezero-rztx", deeper)));
  const std::string both = (folder / "a.safetensors") + "," + (folder / "b.safetensors");
  const Args reading = {"--layout", "rezero-rztx", "--heads", "2"};
  const std::string message = refused(with({"--checkpoint", both}, reading), 2);
  EXPECT_TRUE(contains(message, "b.safetensors' has 6 blocks, not 4")) << message;
  EXPECT_TRUE(
      contains(refused(with({"--checkpoint", folder / "c_*.safetensors"}, reading), 2), "matches no file"));
  EXPECT_TRUE(contains(refused(with({"export", "--checkpoint", both, "-o", folder / "out"}, reading), 2),
                       "6 blocks, not 4"));
  spill(folder / "b.safetensors", with_gates(1));
  EXPECT_TRUE(contains(refused(with({"export", "--checkpoint", both, "-o", folder / "out"}, reading), 2),
                       "2 values of --checkpoint"));
  EXPECT_TRUE(contains(refused(with({"--checkpoint", both, "-o", folder / "b.safetensors"}, reading), 2),
                       "would overwrite the file that --checkpoint reads"));
  spill(folder / "samples.npy", npy_bytes({{2, 1, 4}, std::vector<Real>(8, 1)}));
  const std::string list = refused(with({"export", "--checkpoint", folder / "a.safetensors", "--input",
                                         folder / "samples.npy", "-o", folder / "out"},
                                        reading),
                                   2);
  EXPECT_TRUE(contains(list, "is a list of 2")) << list;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  test::SmallModel plain;
  plain.optional = false;
  std::vector<Tensor> without_norm = test::state_dict("torch-encoder", plain);
  std::vector<Tensor> with_norm = test::state_dict("torch-encoder");
  spill(folder / "a.safetensors", safetensors_bytes({}, without_norm));
  spill(folder / "b.safetensors", safetensors_bytes({}, with_norm));
  const std::string norms = refused({"--checkpoint", both, "--layout", "torch-encoder", "--heads", "2"}, 2);
  EXPECT_TRUE(contains(norms, "b.safetensors' has a norm after its layers, '")) << norms;
}

/// The model's own norm after the stack is that of each sample, too.
TEST(CliCheckpoint, FinalNormsOfSamples) {
  const TemporaryFolder folder;
  const NpyArray one = parse_npy(slurp(fixture("gpt2.input.npy")), "x");
  NpyArray two{{2, one.shape[0], one.shape[1]}, one.values};
  two.values.insert(two.values.end(), one.values.begin(), one.values.end());
  spill(folder / "two.npy", npy_bytes(two));
  const Args base = {"--checkpoint", fixture("gpt2.safetensors"), "--layout", "gpt2", "--heads", "2",
                     "--final-norm"};
  const Json single = ran(with(base, {"--input", fixture("gpt2.input.npy")})).json()["results"];
  const Json both = ran(with(base, {"--input", folder / "two.npy"})).json()["results"];
  ASSERT_EQ(both.size(), 2u);
  for (const Json& row : both) EXPECT_EQ(bare(row), bare(single[0]));
  const Json bare_end =
      ran(with({"--checkpoint", fixture("gpt2.safetensors"), "--layout", "gpt2", "--heads", "2"},
               {"--input", folder / "two.npy"}))
          .json()["results"];
  EXPECT_NE(bare(bare_end[0]), bare(single[0])) << "the norm changes J";
}

TEST(CliCheckpoint, WhatIsLeftOutIsSaid) {
  const Ran got = ran({"--checkpoint", fixture("gpt2.safetensors"), "--layout", "gpt2", "--heads", "2",
                       "--leave-out", "transformer.h.1", "--leave-out", "lm_head", "--final-norm"});
  ASSERT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.json()["plan"]["depth"], Json({2}));
  EXPECT_EQ(got.json()["plan"]["leave_out"], Json({"transformer.h.1", "lm_head"}));
  EXPECT_TRUE(contains(got.err, "note: left out: lm_head.weight, transformer.h.1.attn.bias, ")) << got.err;
  EXPECT_FALSE(contains(got.err, "not applied")) << got.err;
}

TEST(CliCheckpoint, FilesOfOtherFormats) {
  const TemporaryFolder folder;
  spill(folder / "model.pt", "PK\x03\x04 and more");
  EXPECT_TRUE(
      contains(refused({"--checkpoint", folder / "model.pt", "--layout", "gpt2"}, 3), "a pickle of PyTorch"));
  spill(folder / "index.json", "{\"weight_map\": {}}");
  EXPECT_TRUE(
      contains(refused({"--checkpoint", folder / "index.json", "--layout", "gpt2"}, 3), "it is JSON"));
  EXPECT_TRUE(contains(refused({"--stack", fixture("torch_encoder.safetensors")}, 3),
                       "--checkpoint reads state dicts"));
}

TEST(CliCheckpoint, ListExplainsTheLayouts) {
  const std::string listing = ran({"list", "layouts"}).out;
  for (const char* command : {"", "verify", "export", "inspect"}) {
    Args args = {"--layout", "list"};
    if (*command) args.insert(args.begin(), command);
    const Ran got = ran(args);
    EXPECT_EQ(got.code, 0) << command;
    EXPECT_EQ(got.out, listing) << command;
  }
  for (const char* part : {"layers.{layer}.self_attn.in_proj_weight (3d × d)",
                           "h.{layer}.attn.c_attn.weight (d × 3d)", "--heads", "norm_first=false"})
    EXPECT_TRUE(contains(listing, part)) << part;
}

TEST(CliCheckpoint, OptionsThatContradictEachOther) {
  const std::string file = fixture("gpt2.safetensors");
  const Args base = {"--checkpoint", file, "--layout", "gpt2", "--heads", "2"};
  for (const char* option : {"--width", "--kv-heads"})
    EXPECT_TRUE(contains(refused(with(base, {option, "2"}), 2),
                         std::string(option) + " and --checkpoint contradict each other"));
  EXPECT_TRUE(contains(refused(with(base, {"--rope"}), 2), "--rope and --checkpoint"));
  EXPECT_TRUE(contains(refused(with(base, {"--stack", "x"}), 2), "--checkpoint and --stack"));
  EXPECT_TRUE(contains(refused(with(base, {"--onnx", "x"}), 2), "--onnx"));
  EXPECT_TRUE(contains(refused({"--layout", "gpt2"}, 2), "--layout needs --checkpoint FILE"));
  EXPECT_TRUE(contains(refused({"--leave-out", "fc"}, 2), "--leave-out needs --checkpoint FILE"));
  EXPECT_TRUE(contains(refused({"--checkpoint", file, "--heads", "2"}, 2),
                       "needs --layout NAME (its names fit gpt2)"));
  EXPECT_TRUE(contains(refused({"--checkpoint", file, "--layout", "gpt3"}, 2), "Did you mean 'gpt2'?"));
  EXPECT_TRUE(contains(refused({"--checkpoint", file, "--layout", "gpt2:rope=2"}, 2), "'rope'"));
  EXPECT_TRUE(contains(refused({"--checkpoint", file, "--layout", "gpt2:eps=-1"}, 2), "at least 0"));
  EXPECT_TRUE(contains(refused({"--checkpoint", file, "--layout", "gpt2"}, 2), "give --heads H"));
  EXPECT_TRUE(contains(refused(with(base, {"--depth", "5"}), 2), "the 4 blocks of --checkpoint"));
  EXPECT_TRUE(contains(refused(with(base, {"--seed", "1,2"}), 2), "one seed with --checkpoint"));
  EXPECT_TRUE(contains(refused(with(base, {"--activation", "relu,gelu"}), 2), "one activation"));
  EXPECT_TRUE(contains(refused(with(base, {"--input", fixture("llama.input.npy"), "--tokens", "4"}), 2),
                       "--tokens 4 and --input"));
  EXPECT_TRUE(contains(refused(with(base, {"--input", fixture("llama_wide_heads.input.npy")}), 2),
                       "the stack takes 3 × 8"));
  EXPECT_TRUE(
      contains(refused(with(base, {"-o", file}), 2), "would overwrite the file that --checkpoint reads"));
  EXPECT_TRUE(contains(refused(with({"export", "-o", file}, base), 2), "would overwrite"));
  EXPECT_TRUE(contains(refused(with(options_of("gpt2_linear"), {"--final-norm"}), 2),
                       "has no norm after its layers"));
  refused({"--checkpoint", "/nonexistent", "--layout", "gpt2", "--heads", "2"}, 3);
  EXPECT_TRUE(contains(refused(with(base, {"--max-memory", "4k"}), 5), "reading"));
  EXPECT_TRUE(contains(refused(with(base, {"--tokens", "1e15"}), 5), "reading"));
  EXPECT_TRUE(contains(refused(with(base, {"--tokens", "9e15"}), 2), "(--tokens)"));
}

TEST(CliCheckpoint, InspectShowsSizesGatesAndTheRest) {
  const Ran text = ran({"inspect", fixture("rezero_rztx.safetensors"), "--heads", "4"});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* part : {"layout rezero-rztx · prefix model.", "3 layers, 6 blocks (attention, mlp)",
                           "features 8, hidden 12, 4 heads of width 2", "model.layers.2.resweight = "})
    EXPECT_TRUE(contains(text.out, part)) << text.out;
  const Json json = ran({"inspect", fixture("llama_wide_heads.safetensors"), "--format", "json"}).json();
  EXPECT_EQ(json["layout"], "llama");
  EXPECT_EQ(json["kv_heads"], 1);
  EXPECT_EQ(json["head_width"], 4);
  EXPECT_EQ(json["hidden"], Json({10, 10}));
  EXPECT_EQ(json["outside"].size(), 4u);
  const Json gpt2 =
      ran({"inspect", fixture("gpt2.safetensors"), "--layout", "gpt2", "--format", "json"}).json();
  EXPECT_TRUE(gpt2["heads"].is_null());
  EXPECT_EQ(gpt2["outside"].size(), 7u);
  EXPECT_TRUE(
      contains(refused({"inspect", fixture("gpt2.safetensors"), "--dim", "n=2"}, 2), "--dim is not for"));
  EXPECT_TRUE(contains(refused({"inspect", fixture("gpt2.safetensors"), "--layout", "llama"}, 2),
                       "the names fit --layout gpt2"));
  const std::string stacks = std::string(REZERO_TEST_DATA) + "/reference/stacks/branch_glu.safetensors";
  EXPECT_TRUE(contains(refused({"inspect", stacks}, 2), "is a stack file (give it as --stack)"));
}

}  // namespace
}  // namespace rezero
