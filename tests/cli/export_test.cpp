/// Exporting a stack and reading it with --stack gives the numbers of the random stack, to the bit.

#include "cli/cli_support.h"

namespace rezero {
namespace {

struct Stack {
  std::string scheme, family, init;
  Args more;
};

/// Everything of a row that is computed.
std::string numbers(const Json& row) {
  return Json{row["metrics"], row["singular_values"], row["profile"], row["spectrum"]}.dump();
}

void expect_round_trip(const Stack& stack) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.safetensors";
  Args base = {"--scheme", stack.scheme, "--family", stack.family, "--init", stack.init, "--depth",
               "3",        "--width",    "8",        "--seed",     "5",      "-q"};
  base.insert(base.end(), stack.more.begin(), stack.more.end());
  Args to_file = base;
  to_file.pop_back();
  to_file = {"export", "-o", path};
  for (const std::string& word : base)
    if (word != "-q") to_file.push_back(word);
  const std::string shown = stack.scheme + " " + stack.family + " " + stack.init;
  const Ran exported = ran(to_file);
  ASSERT_EQ(exported.code, 0) << shown << exported.err;
  base.insert(base.end(), {"--profile", "--cotangent", "ones"});
  const Ran direct = ran(base), loaded = ran({"--stack", path, "--profile", "--cotangent", "ones"});
  ASSERT_EQ(direct.code, 0) << shown << direct.err;
  ASSERT_EQ(loaded.code, 0) << shown << loaded.err;
  EXPECT_EQ(numbers(loaded.json()["results"][0]), numbers(direct.json()["results"][0])) << shown;
  EXPECT_EQ(folder.entries(), 1u);
}

/// Schemes with a norm inside the branch need a branch with an inside; schemes for convolutions need
/// convolutions.
bool has_place(const std::string& scheme, const std::string& family) {
  if (scheme == "zero-gamma" || scheme == "nf-resnet") return family == "conv";
  const bool inner = scheme == "normformer" || scheme == "sub-ln";
  return !inner || (family != "conv" && family != "linear" && family != "dense" && family != "preactivation");
}

TEST(CliExport, InnerNormWithoutAPlaceIsRefused) {
  EXPECT_EQ(ran({"--scheme", "sub-ln", "--family", "dense", "--depth", "2", "--width", "4"}).code, 2);
}

TEST(CliExport, EverySchemeFamilyAndInit) {
  const Json all = ran({"list", "--format", "json"}).json();
  for (const Json& scheme : all["schemes"])
    for (const Json& family : all["families"])
      for (const char* init : {"he", "torch-default", "orthogonal"})
        // Biased and unbiased weights of all kinds; what else an initializer draws does not change the file.
        if (has_place(scheme["name"], family["name"]) &&
            (std::string(init) == "torch-default" || family["name"] == "mlp" ||
             family["name"] == "transformer"))
          expect_round_trip({scheme["name"], family["name"], init,
                             family["name"] == "conv" ? Args{"--image", "3x2", "--batch", "2"} : Args{}});
}

TEST(CliExport, OtherInitsActivationsAndWirings) {
  for (const char* init :
       {"xavier:law=uniform", "lecun", "gaussian:sigma_w=1.2:sigma_b=0.3", "normal:std=0.1", "trunc-normal"})
    expect_round_trip({"residual", "mlp", init, {}});
  for (const char* activation : {"leaky_relu:slope=0.3", "gelu", "scaled_erf", "sin"})
    expect_round_trip({"depth-power", "preactivation", "torch-default", {"--activation", activation}});
  expect_round_trip({"residual", "mlp", "he", {"--tied"}});
  expect_round_trip({"gated:a=0.3", "mlp", "torch-default", {}});
  expect_round_trip({"depth-mup:c=2", "dense", "torch-default", {"--tied"}});
  expect_round_trip({"residual", "glu", "he", {"--hidden-ratio", "2.5", "--input", "sphere"}});
  expect_round_trip({"rezero:alpha=-0.3", "mlp", "he", {"--input", "ones"}});
}

TEST(CliExport, NetsOverImages) {
  for (const char* norm : {"none", "batch_norm", "group_norm:groups=2", "layer_norm"})
    for (const Args& more :
         {Args{"--order", "pre", "--padding", "circular"}, Args{"--bottleneck", "--outer-activation"},
          Args{"--bn-statistics", norm == std::string("batch_norm") ? "initial" : "batch", "--kernel",
               "1"}}) {
      Args args = {"--image", "2x3", "--batch", "2", "--norm", norm};
      args.insert(args.end(), more.begin(), more.end());
      expect_round_trip({"fixed", "conv", "torch-default", args});
    }
  expect_round_trip({"residual",
                     "conv",
                     "he",
                     {"--image", "2x2", "--outer-activation", "--activation", "leaky_relu:slope=0.3"}});
  const Ran staged = ran({"export", "--scheme", "residual", "--family", "conv", "--stages", "1,1", "--widths",
                          "2,4", "--image", "4x4", "--depth", "2", "-o", "/dev/null"});
  EXPECT_EQ(staged.code, 2);
  EXPECT_TRUE(contains(staged.err, "changes the shape")) << staged.err;
}

/// Without --depth, the number of depths is not why the export is refused.
TEST(CliExport, StagesAreRefusedForTheirShapes) {
  const TemporaryFolder folder;
  const std::string line = refused({"export", "--scheme", "residual", "--family", "conv", "--stages", "2,1",
                                    "--widths", "2,4", "--image", "4x4", "-o", folder / "x"},
                                   2);
  EXPECT_TRUE(contains(line, "several --stages (the first block of a later stage changes the shape")) << line;
  EXPECT_TRUE(contains(line, "--depth of at most 2")) << line;
  EXPECT_EQ(folder.entries(), 0u);
}

/// The scheme counts the blocks of the whole net; the file contains those up to the depth.
TEST(CliExport, DepthCutsANetWithStages) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.safetensors";
  const Args net = {"--scheme", "stable-resnet", "--family", "conv",    "--stages", "3,2", "--widths",
                    "2,4",      "--image",       "4x4",      "--depth", "2",        "-q"};
  Args to_file = {"export", "-o", path};
  to_file.insert(to_file.end(), net.begin(), net.end() - 1);
  ASSERT_EQ(ran(to_file).code, 0);
  const Json direct = ran(net).json()["results"][0], loaded = ran({"--stack", path}).json()["results"][0];
  EXPECT_EQ(loaded["depth"], 2);
  EXPECT_EQ(loaded["metrics"], direct["metrics"]);
}

TEST(CliExport, SameBytesTwiceAndOldFileReplaced) {
  const TemporaryFolder folder;
  const Args base = {"export", "--scheme", "fixup", "--depth", "2", "--width", "4", "-o"};
  const auto to = [&base](const std::string& path) {
    Args args = base;
    args.push_back(path);
    return args;
  };
  spill(folder / "a", "old");
  EXPECT_EQ(ran(to(folder / "a")).code, 0);
  EXPECT_EQ(ran(to(folder / "b")).code, 0);
  EXPECT_EQ(slurp(folder / "a"), slurp(folder / "b"));
}

/// Parameters are written by name, whatever activation or norm they belong to.
TEST(CliExport, ParametersOfActivationsAndNorms) {
  for (const char* norm : {"dynamic_tanh:alpha=0.7", "group_norm:eps=0.25:groups=2"})
    expect_round_trip(
        {"fixed",
         "conv",
         "torch-default",
         {"--image", "2x3", "--norm", norm, "--activation", "elu:a=0.5", "--outer-activation"}});
}

}  // namespace
}  // namespace rezero
