#include "rezero/config/resolve.h"

#include <gtest/gtest.h>

#include "plan_support.h"
#include "rezero/io/npy.h"
#include "rezero/io/sha256.h"

namespace rezero {
namespace {

using test::World;
using Indices = std::vector<Index>;
using Names = std::vector<std::string>;

World with_files() {
  World world;
  world.files["a.json"] = "[0, 0.5, 1]";
  world.files["b.json"] = "[1, 2]";
  world.files["c.npy"] = npy_bytes({{3}, {1, 2, 3}});
  world.files["x.npy"] = npy_bytes({{4}, {1, 2, 3, 4}});
  world.files["row.npy"] = npy_bytes({{1, 4}, {1, 2, 3, 4}});
  world.files["s.safetensors"] = "stack";
  return world;
}

PlanOptions series_options(const char* file) {
  PlanOptions options;
  options.scheme = {std::string("rezero:alphas=") + file};
  return options;
}

PlanOptions stack_options() {
  PlanOptions options;
  options.stack = {"s.safetensors"};
  return options;
}

bool names_all(const std::string& message, const Names& words) {
  for (const std::string& word : words)
    if (message.find(word) == std::string::npos) return false;
  return true;
}

TEST(Resolve, TheDefaultPlan) {
  const SweepPlan plan = World().plan({});
  ASSERT_EQ(plan.schemes.size(), 4u);
  EXPECT_EQ(plan.schemes[2].canonical(), "depth-power");
  EXPECT_EQ(plan.family->name, "mlp");
  EXPECT_EQ(plan.widths, Indices{64});
  EXPECT_EQ(plan.depths, (Indices{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(plan.seeds, std::vector<std::uint64_t>{0});
  EXPECT_EQ(plan.activations[0].canonical(), "relu");
  EXPECT_TRUE(plan.initializers.empty());
  ASSERT_EQ(distinct_initializers(plan).size(), 1u);
  EXPECT_EQ(distinct_initializers(plan)[0].canonical(), "he");
  EXPECT_EQ(plan.tokens.tokens, 1);
  EXPECT_EQ(plan.input.law, InputLaw::normal);
  EXPECT_TRUE(plan.files.empty());
}

TEST(Resolve, VerifyHasDefaultChecksAndNoDefaultScheme) {
  PlanOptions options;
  EXPECT_NE(World().error(options, PlanUse::verify), "no error");
  options.scheme = {"rezero"};
  const SweepPlan plan = World().plan(options, PlanUse::verify);
  ASSERT_EQ(plan.analysis.checks.size(), 3u);
  EXPECT_EQ(plan.analysis.checks[2].canonical(), "live:as=warning");
  EXPECT_FALSE(plan.analysis.spectrum);
  options.check = {"isometry:tol=0.2"};
  EXPECT_TRUE(World().plan(options, PlanUse::verify).analysis.spectrum);
}

TEST(Resolve, RepetitionsAreDropped) {
  PlanOptions options;
  options.scheme = {"fixed", "rezero", "fixed:alpha=0.1"};
  options.seed = std::vector<std::uint64_t>{3, 1, 3};
  options.depth = Indices{4, 1, 4};
  const SweepPlan plan = World().plan(options);
  EXPECT_EQ(plan.schemes.size(), 2u);
  EXPECT_EQ(plan.seeds, (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(plan.depths, (Indices{1, 4}));
}

TEST(Resolve, ContradictionsNameBoth) {
  const auto error = [](auto&& change) {
    PlanOptions options;
    change(options);
    return with_files().error(options);
  };
  EXPECT_TRUE(names_all(error([](auto& o) { o.stack = {"s.safetensors"}, o.scheme = {"rezero"}; }),
                        {"--stack", "--scheme"}));
  EXPECT_TRUE(
      names_all(error([](auto& o) { o.stack = {"s.safetensors"}, o.seed = {{1}}; }), {"--stack", "--seed"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.family = "dense", o.hidden_ratio = 2; }),
                        {"--hidden-ratio", "--family dense"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.family = "linear", o.activation = {"tanh"}; }),
                        {"--activation", "--family linear"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.cotangent = "ones"; }), {"--cotangent", "--profile"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.top = 40, o.bottom = 30; }), {"--top", "--bottom", "64"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.method = "spectra"; }), {"--method spectra", "--top"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.stack = {"s.safetensors"}, o.depth = {{4}}; }),
                        {"--depth 4", "3 blocks"}));
}

PlanOptions transformer_options() {
  PlanOptions options;
  options.scheme = {"pre-ln"}, options.family = "transformer", options.width = Indices{12};
  return options;
}

TEST(Resolve, TokensAndHeadsHaveDefaults) {
  const SweepPlan plan = World().plan(transformer_options());
  EXPECT_EQ(plan.tokens.tokens, 16);
  EXPECT_EQ(plan.tokens.attention.heads, 4);
  EXPECT_EQ(plan.tokens.attention.kv_heads, 4);
  EXPECT_FALSE(plan.tokens.attention.causal);
  EXPECT_FALSE(plan.tokens.attention.rope);
  EXPECT_EQ(plan.hidden_ratio, 4);
  PlanOptions options = transformer_options();
  options.width = Indices{6, 12};
  EXPECT_EQ(World().plan(options).tokens.attention.heads, 2) << "what divides every width";
  options.family = "mlp";
  EXPECT_EQ(World().plan(options).tokens.tokens, 1);
  options.tokens = 5;
  EXPECT_EQ(World().plan(options).tokens.tokens, 5);
}

TEST(Resolve, TokenOptionsThatContradictTheFamilyNameBoth) {
  const auto error = [](const char* family, auto&& change) {
    PlanOptions options = transformer_options();
    options.family = family;
    change(options);
    return World().error(options);
  };
  EXPECT_TRUE(names_all(error("dense", [](auto& o) { o.tokens = 4; }), {"--tokens", "--family dense"}));
  EXPECT_TRUE(names_all(error("mlp", [](auto& o) { o.heads = 4; }), {"--heads", "--family mlp"}));
  EXPECT_TRUE(names_all(error("glu", [](auto& o) { o.kv_heads = 4; }), {"--kv-heads", "--family glu"}));
  EXPECT_TRUE(names_all(error("mlp", [](auto& o) { o.causal = true; }), {"--causal", "--family mlp"}));
  EXPECT_TRUE(names_all(error("linear", [](auto& o) { o.rope = true; }), {"--rope", "--family linear"}));
  EXPECT_TRUE(names_all(error("mlp", [](auto& o) { o.qk_norm = "l2_norm"; }), {"--qk-norm", "--family mlp"}));
  EXPECT_EQ(error("mlp", [](auto& o) { o.causal = false; }), "no error") << "off is off";
}

TEST(Resolve, HeadsMustDivide) {
  const auto error = [](auto&& change) {
    PlanOptions options = transformer_options();
    change(options);
    return World().error(options);
  };
  EXPECT_TRUE(names_all(error([](auto& o) { o.heads = 5; }), {"--heads", "--width", "5", "12"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.heads = 4, o.width = Indices{12, 18}; }), {"--heads", "18"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.kv_heads = 3; }), {"--kv-heads", "--heads", "3", "4"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.rope = true; }), {"--rope", "even"})) << "12 / 4 is odd";
  EXPECT_EQ(error([](auto& o) { o.heads = 6, o.kv_heads = 2, o.rope = true; }), "no error");
  EXPECT_TRUE(names_all(error([](auto& o) { o.qk_norm = "rms-nrm"; }), {"norm", "rms-nrm"}));
}

TEST(Resolve, ViewsAreOfTokensThatExist) {
  const auto error = [](auto&& change) {
    PlanOptions options = transformer_options();
    options.tokens = 4;
    change(options);
    return World().error(options);
  };
  EXPECT_EQ(error([](auto& o) { o.wrt = "token:3", o.of = "token:0"; }), "no error");
  EXPECT_TRUE(names_all(error([](auto& o) { o.wrt = "token:4"; }), {"--wrt", "token:4", "4 tokens"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.of = "token:9"; }), {"--of", "token:9", "4 tokens"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.of = "3"; }), {"--of", "token:i"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.of = "token:-1"; }), {"--of"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.of = "token:0", o.top = 13; }), {"--top", "12"}));
  PlanOptions stack = stack_options();
  stack.wrt = "token:1";
  EXPECT_TRUE(names_all(with_files().error(stack), {"--wrt", "token:1"}));
}

TEST(Resolve, AStackFileTakesNoTokenOptions) {
  const auto error = [](auto&& change) {
    PlanOptions options = stack_options();
    change(options);
    return with_files().error(options);
  };
  EXPECT_TRUE(names_all(error([](auto& o) { o.tokens = 4; }), {"--stack", "--tokens"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.heads = 1; }), {"--stack", "--heads"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.kv_heads = 1; }), {"--stack", "--kv-heads"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.causal = true; }), {"--stack", "--causal"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.rope = true; }), {"--stack", "--rope"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.qk_norm = "l2_norm"; }), {"--stack", "--qk-norm"}));
  EXPECT_EQ(error([](auto& o) { o.final_norm = true, o.of = "token:0"; }), "no error");
}

TEST(Resolve, WithoutInitEachSchemeStartsAsItsSourceDoes) {
  PlanOptions options = transformer_options();
  options.scheme = {"rezero", "deepnorm", "gpt2"};
  const SweepPlan plan = World().plan(options);
  EXPECT_EQ(initializers_of(plan, plan.schemes[1])[0].canonical(), "xavier");
  EXPECT_GT(distinct_initializers(plan).size(), 1u);
  options.init = {"he", "orthogonal"};
  const SweepPlan given = World().plan(options);
  for (const SchemeSpec& scheme : given.schemes) EXPECT_EQ(initializers_of(given, scheme).size(), 2u);
  EXPECT_EQ(distinct_initializers(given).size(), 2u);
  options.init.reset(), options.family = "mlp";
  EXPECT_EQ(distinct_initializers(World().plan(options)).size(), 1u) << "he for families of vectors";
}

TEST(Resolve, UnknownNamesGetASuggestion) {
  const auto error = [](auto&& change) {
    PlanOptions options;
    change(options);
    return World().error(options);
  };
  EXPECT_TRUE(names_all(error([](auto& o) { o.scheme = {"rezro"}; }), {"Did you mean 'rezero'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.family = "mpl"; }), {"Did you mean 'mlp'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.activation = {"rleu"}; }), {"Did you mean 'relu'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.init = {"kaimng"}; }), {"Did you mean 'kaiming'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.method = "dnese"; }), {"Did you mean 'dense'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.values = "log01"; }), {"Did you mean 'log10'?"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.input = "norml"; }), {"Did you mean 'normal'?"}));
}

TEST(Resolve, SizesAreRefusedByName) {
  const auto error = [](auto&& change) {
    PlanOptions options;
    change(options);
    return World().error(options);
  };
  EXPECT_TRUE(names_all(error([](auto& o) { o.hidden_ratio = -1; }), {"--hidden-ratio", "-1"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.hidden_ratio = 1e300; }), {"--hidden-ratio", "--width"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.depth = {{5000000000}}; }), {"--depth 5000000000"}));
  EXPECT_TRUE(names_all(error([](auto& o) {
                          o.seed = std::vector<std::uint64_t>(1000000);
                          for (std::size_t i = 0; i < o.seed->size(); ++i) (*o.seed)[i] = i;
                        }),
                        {"results", "split"}));
  EXPECT_TRUE(names_all(error([](auto& o) { o.top = 0; }), {"--top"}));
}

TEST(Resolve, SeriesAreReadAndDefineTheDepth) {
  const SweepPlan plan = with_files().plan(series_options("a.json"));
  EXPECT_EQ(plan.depths, Indices{3});
  EXPECT_EQ(plan.schemes[0].params().series("alphas"), (std::vector<Real>{0, 0.5, 1}));
  ASSERT_EQ(plan.files.size(), 1u);
  EXPECT_EQ(plan.files[0].sha256, sha256_hex("[0, 0.5, 1]"));
  EXPECT_EQ(with_files().plan(series_options("c.npy")).schemes[0].params().series("alphas").size(), 3u);
}

TEST(Resolve, SeriesOfAnotherLengthAreUsageErrors) {
  PlanOptions options = series_options("a.json");
  options.depth = Indices{2};
  EXPECT_TRUE(names_all(with_files().error(options), {"a.json", "3 numbers", "2"}));
  options = series_options("a.json");
  options.scheme->push_back("rezero:alphas=b.json");
  EXPECT_TRUE(names_all(with_files().error(options), {"a.json", "b.json"}));
  EXPECT_NE(with_files().error(series_options("a.txt")), "no error");
  EXPECT_NE(with_files().error<IoError>(series_options("missing.json")), "no error");
}

TEST(Resolve, InputsAreReadAndMustFit) {
  PlanOptions options;
  options.width = Indices{4}, options.input = "x.npy";
  EXPECT_EQ(with_files().plan(options).input.values, (Vector(4) << 1, 2, 3, 4).finished());
  options.input = "row.npy";
  EXPECT_EQ(with_files().plan(options).input.values.size(), 4);
  options.input = "c.npy";
  EXPECT_TRUE(names_all(with_files().error(options), {"c.npy", "3", "4"}));
  options.input = "x.npy", options.width = Indices{4, 8};
  EXPECT_TRUE(names_all(with_files().error(options), {"x.npy", "8"}));
}

TEST(Resolve, AStackFileBringsItsDepthAndInput) {
  PlanOptions options = stack_options();
  const SweepPlan plan = with_files().plan(options);
  EXPECT_EQ(plan.depths, Indices{3});
  EXPECT_EQ(plan.stack->first().file.sha256, sha256_hex("stack"));
  options.input = "ones";
  EXPECT_EQ(with_files().plan(options).stack->first().stack->input(), Vector::Ones(4));
  options.input = "x.npy";
  EXPECT_EQ(with_files().plan(options).stack->first().stack->input()[3], 4);
}

World with_checkpoints() {
  World world = with_files();
  for (const char* name : {"t_1.safetensors", "t_2.safetensors", "t_3.safetensors"})
    world.files[name] = std::string("stack ") + name;
  world.files["two.npy"] = npy_bytes({{2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}});
  world.files["three.npy"] = npy_bytes({{3, 1, 4}, std::vector<Real>(12, 1)});
  world.files["none.npy"] = npy_bytes({{0, 1, 4}, {}});
  world.files["flat.npy"] = npy_bytes({{2, 4}, std::vector<Real>(8, 1)});
  world.files["wide.npy"] = npy_bytes({{2, 2, 4}, std::vector<Real>(16, 1)});
  return world;
}

TEST(Resolve, AnArrayWithOneAxisMoreIsAListOfSamples) {
  PlanOptions options = stack_options();
  options.input = "two.npy";
  const SweepPlan plan = with_checkpoints().plan(options);
  EXPECT_EQ(plan.stack->samples(), 2);
  const SampleList& samples = *plan.stack->first().samples;
  EXPECT_EQ(samples[0], (Vector(4) << 1, 2, 3, 4).finished());
  EXPECT_EQ(samples[1], (Vector(4) << 5, 6, 7, 8).finished());
  EXPECT_EQ(plan.stack->first().stack->input(), samples[0]);
  ASSERT_EQ(plan.files.size(), 1u);
  EXPECT_EQ(plan.files[0].path, "two.npy");
  options.input = "row.npy";
  EXPECT_EQ(with_checkpoints().plan(options).stack->samples(), 0) << "one input is no axis";
}

TEST(Resolve, ListsOfSamplesMustFit) {
  PlanOptions options = stack_options();
  options.input = "none.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"none.npy", "holds no samples", "0 × 1 × 4"}));
  options.input = "flat.npy";
  EXPECT_TRUE(
      names_all(with_checkpoints().error(options), {"2 × 4", "1 × 4", "samples × positions × features"}));
  options.input = "wide.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"2 × 2 × 4", "1 × 4"}));
  PlanOptions random;
  random.width = Indices{4}, random.input = "two.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(random), {"2 × 1 × 4", "--stack, --checkpoint or --onnx"}));
}

TEST(Resolve, SeveralFilesAreCheckpoints) {
  PlanOptions options;
  options.stack = Names{"t_2.safetensors", "t_1.safetensors", "./t_2.safetensors"};
  const SweepPlan plan = with_checkpoints().plan(options);
  ASSERT_EQ(plan.stack->files.size(), 2u) << "in the order written, each once";
  EXPECT_EQ(plan.stack->files[0].file.path, "t_2.safetensors");
  EXPECT_EQ(plan.stack->files[1].file.sha256, sha256_hex("stack t_1.safetensors"));
  EXPECT_EQ(plan_as_options(plan).stack, (Names{"t_2.safetensors", "t_1.safetensors"}));
  EXPECT_EQ(plan_as_options(plan).files.size(), 2u);
}

TEST(Resolve, EachCheckpointMayHaveItsInput) {
  PlanOptions options;
  options.stack = Names{"t_1.safetensors", "t_2.safetensors"}, options.input = "x.npy,two.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"t_2.safetensors", "2 samples, not 0", "t_1"}));
  options.input = "two.npy,three.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"3 samples, not 2"}));
  options.input = "x.npy,row.npy,x.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"3 files for 2 stacks"}));
  options.input = "normal,x.npy";
  EXPECT_TRUE(names_all(with_checkpoints().error(options), {"'normal' is no file"}));
  options.input = "x.npy, row.npy";
  const SweepPlan plan = with_checkpoints().plan(options);
  EXPECT_EQ(plan.stack->files[1].stack->input()[3], 4);
  EXPECT_EQ(plan_as_options(plan).input, "x.npy,row.npy");
  EXPECT_EQ(plan.files.size(), 2u);
  options.stack = Names{"t_1.safetensors"};
  EXPECT_NE(with_checkpoints().error<IoError>(options), "no error") << "a single path may have a comma";
}

TEST(Resolve, CheckpointsHaveEqualBlocks) {
  ResolveContext context = with_checkpoints().context();
  const World world = with_checkpoints();
  context.read_file = world.context().read_file;
  context.read_stack = [](std::string_view, const std::string& path) {
    StackSpec spec("residual", "mlp");
    spec.width = path == "t_3.safetensors" ? 5 : 4;
    return build_stack(spec, 0, path == "t_2.safetensors" ? 2 : 3);
  };
  const auto error = [&](const Names& stacks) -> std::string {
    PlanOptions options;
    options.stack = stacks;
    try {
      resolve_plan(options, context);
    } catch (const UsageError& problem) {
      return problem.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({"t_1.safetensors", "s.safetensors"}), "no error");
  EXPECT_TRUE(names_all(error({"t_1.safetensors", "t_2.safetensors"}),
                        {"'t_2.safetensors' has 2 blocks, not 3 as 't_1.safetensors'"}));
  EXPECT_TRUE(names_all(error({"t_1.safetensors", "t_3.safetensors"}),
                        {"'t_3.safetensors' has 1 × 5 numbers at its input, not 1 × 4"}));
}

TEST(Resolve, TheMemoryOfEarlierCheckpointsCounts) {
  const World world = with_checkpoints();
  ResolveContext context = world.context();
  std::vector<Real> asked;
  context.require_memory = [&](Real bytes, const std::string& path) {
    if (path == "two.npy") asked.push_back(bytes);
  };
  PlanOptions options;
  options.stack = Names{"t_1.safetensors", "t_2.safetensors"}, options.input = "x.npy,two.npy";
  EXPECT_NE(world.error(options), "no error");
  try {
    resolve_plan(options, context);
  } catch (const UsageError&) {
  }
  ASSERT_EQ(asked.size(), 1u);
  const Real of_first = 3 * 2 * 4 * 4 * sizeof(Real), of_array = 2 * 8 * sizeof(Real);
  EXPECT_GE(asked[0], of_first + of_array);
}

TEST(Resolve, TooManyRowsAreRefused) {
  World world = with_checkpoints();
  world.files["many.npy"] = npy_bytes({{40000, 1, 4}, std::vector<Real>(160000, 0)});
  PlanOptions options;
  options.stack.emplace();
  for (int i = 0; i < 100; ++i) {
    options.stack->push_back(std::to_string(i));
    world.files[options.stack->back()] = "stack";
  }
  options.input = "many.npy", options.depth = Indices{1, 2, 3};
  EXPECT_TRUE(names_all(world.error(options), {"1.2e+07", "files × samples × depths", "split it"}));
}

TEST(Resolve, AChangedFileIsAnIoErrorThatNamesIt) {
  PlanOptions options = series_options("a.json");
  options.files = {{"a.json", std::string(64, '0')}};
  EXPECT_TRUE(names_all(with_files().error<IoError>(options), {"a.json", "SHA-256"}));
}

}  // namespace
}  // namespace rezero
