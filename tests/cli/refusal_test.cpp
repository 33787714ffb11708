/// Bad input: exit code and message.

#include "cli/cli_support.h"

namespace rezero {
namespace {

struct Case {
  int code;
  Args args;
};

const std::vector<Case> cases = {
    // numbers
    {2, {"--depth", "0"}},
    {2, {"--depth", "-1"}},
    {2, {"--depth", "-0"}},
    {2, {"--depth", "nan"}},
    {2, {"--depth", "inf"}},
    {2, {"--depth", "0x10"}},
    {2, {"--depth", "1.5"}},
    {2, {"--depth", "1e400"}},
    {2, {"--depth", ""}},
    {2, {"--depth="}},
    {2, {"--depth", "1:1e9"}},
    {2, {"--depth", "5:1"}},
    {2, {"--depth", "1:"}},
    {2, {"--depth", "1::2"}},
    {2, {"--depth", "1:9:0"}},
    {2, {"--depth", "1:9:x1"}},
    {2, {"--depth", "1:9:xinf"}},
    {2, {"--depth", "1,,2"}},
    {2, {"--depth", "5000000000"}},
    {2, {"--width", "-5"}},
    {2, {"--width", "1e16"}},
    {2, {"--seed", "-1"}},
    {2, {"--seed", "18446744073709551616"}},
    {2, {"--seed", "0:999999", "--depth", "1:100"}},
    {2, {"--threads", "0"}},
    {2, {"--threads", "1e9"}},
    {2, {"--hidden-ratio", "nan"}},
    {2, {"--hidden-ratio", "0"}},
    {2, {"--hidden-ratio", "-.2"}},
    {2, {"--hidden-ratio", "1e400"}},
    {2, {"--hidden-ratio", "1e300"}},
    {2, {"--top", "0"}},
    {2, {"--top", "65"}},
    {2, {"--top", "40", "--bottom", "40"}},
    {2, {"--max-memory", "0"}},
    {2, {"--max-memory", "4Q"}},
    {2, {"--max-memory", "B"}},
    {2, {"--max-memory", "nan"}},
    {2, {"--scheme", "fixed:alpha=nan"}},
    {2, {"--scheme", "fixed:alpha=1e400"}},
    {2, {"--scheme", "fixed:alpha="}},
    {2, {"verify", "--scheme", "rezero", "--check", "isometry:tol=-1"}},
    {2, {"--depth", "1e19"}},
    {2, {"--depth", "2.9999999999999999999"}},
    {2, {"--seed", "1e20"}},
    {2, {"--seed", "1.5e0"}},
    {2, {"--wrt", "token:0.5"}},
    // parameters as axes
    {2, {"--scheme", "fixed:alpha=0:1"}},
    {2, {"--scheme", "fixed:alpha=0:1:0"}},
    {2, {"--scheme", "fixed:alpha=1:0:0.1"}},
    {2, {"--scheme", "fixed:alpha=0:1:-0.1"}},
    {2, {"--scheme", "fixed:alpha=0:1:x2"}},
    {2, {"--scheme", "fixed:alpha=1:2:x1"}},
    {2, {"--scheme", "fixed:alpha=0:inf:1"}},
    {2, {"--scheme", "fixed:alpha=0:nan:1"}},
    {2, {"--scheme", "fixed:alpha=0:1e400:1"}},
    {2, {"--scheme", "fixed:alpha=0:1:1e-9"}},
    {2, {"--scheme", "fixed:alpha=0:1:0.1:0.2"}},
    {2, {"--scheme", "fixed:alpha=0:1:y2"}},
    {2, {"--scheme", "fixed:alpha=0.1,,0.2"}},
    {2, {"--scheme", "fixed:alpha=0.1,"}},
    {2, {"--scheme", "fixed:0.1:1:0.1"}},
    {2, {"--scheme", "fixed:alhpa=0:1:0.1"}},
    {2, {"--scheme", "plain,0.1"}},
    {2, {"--scheme", "rezero:alphas=1:3:1"}},
    {2, {"--scheme", "depth-power:c=0:1:0.001:p=0:1:0.0005"}},
    {2, {"--scheme", "depth-power:c=0:1:0.001:p=0:0.9:0.001", "--init", "gaussian:sigma_w=1:100:1"}},
    {2, {"--init", "gaussian:sigma_w=-0.5:1:0.25"}},
    {2, {"--init", "gaussian:sigma_w=1,2,-3"}},
    {2, {"--init", "he:law=1:2:1"}},
    {2, {"--init", "he:law=normal,2"}},
    {2, {"--init", "he:gain=1,auto"}},
    {2, {"--init", "he:gain=auto:2:1"}},
    {2, {"--activation", "leaky_relu:slope=0:1"}},
    {2, {"--family", "conv", "--norm", "group_norm:groups=1:4:x2"}},
    {2, {"verify", "--scheme", "rezero", "--check", "isometry:tol=0.1:0.3:0.1"}},
    // names
    {2, {"--scheme", "rezro"}},
    {2, {"--scheme", "fixed:alpa=1"}},
    {2, {"--scheme", "plain:a=1"}},
    {2, {"--scheme", "plain:"}},
    {2, {"--scheme", "plain,,residual"}},
    {2, {"--scheme", ":"}},
    {2, {"--scheme", "rezero:alpha=1:alpha=2"}},
    {2, {"--family", "mpl"}},
    {2, {"--init", "hee"}},
    {2, {"--init", "he:mode=fanin"}},
    {2, {"--activation", "rleu"}},
    {2, {"--method", "dens"}},
    {2, {"--values", "lin"}},
    {2, {"--format", "jsn"}},
    {2, {"--progress", "bar"}},
    {2, {"--input", "nrmal"}},
    {2, {"--profile", "--cotangent", "one"}},
    {2, {"verify", "--scheme", "rezero", "--check", "isometri"}},
    {2, {"verify", "--scheme", "rezero", "--check", "identity:tl=1"}},
    {2, {"list", "schemess"}},
    {2, {"list", "--format", "txt"}},
    {2, {"schema", "reports"}},
    {2, {"vrify"}},
    // options
    {2, {"--shceme", "plain"}},
    {2, {"--dept=4"}},
    {2, {"-x"}},
    {2, {"-qx"}},
    {2, {"-"}},
    {2, {"--"}},
    {2, {"--", "list"}},
    {2, {""}},
    {2, {"--tied", "list"}},
    {2, {"list", "schemes", "metrics"}},
    {2, {"--scheme"}},
    {2, {"--scheme", "--depth", "3"}},
    {2, {"--tied=true"}},
    {2, {"-q=1"}},
    {2, {"--depth", "1", "--depth", "2"}},
    {2, {"-oa", "--output", "b"}},
    // contradictions
    {2, {"--stack", "x.safetensors", "--scheme", "plain"}},
    {2, {"--stack", "x.safetensors", "--seed", "1"}},
    {2, {"--stack", "x.safetensors", "--tied"}},
    {2, {"--family", "linear", "--activation", "relu"}},
    {2, {"--family", "dense", "--hidden-ratio", "2"}},
    {2, {"--cotangent", "ones"}},
    {2, {"--method", "spectra"}},
    {2, {"--method", "spectra", "--top", "64"}},
    {2, {"--method", "jacobi", "--width", "200"}},
    {2, {"verify"}},
    {2, {"verify", "--scheme", "rezero", "--format", "csv"}},
    {2, {"verify", "--scheme", "rezero", "--top", "3"}},
    {2, {"export"}},
    {2, {"export", "-o", "x.safetensors"}},
    {2, {"export", "--scheme", "rezero", "--depth", "1:2", "-o", "x.safetensors"}},
    {2, {"export", "--stack", "x", "-o", "y"}},
    {2, {"export", "--scheme", "rezero", "--depth", "4e9", "--width", "1", "-o", "x.safetensors"}},
    {2, {"export", "--scheme", "rezero", "--depth", "2", "--format", "json", "-o", "x.safetensors"}},
    // files
    {3, {"--input", "/nonexistent/x.npy"}},
    {3, {"--stack", "/nonexistent/x"}},
    {3, {"--stack", "/"}},
    {3, {"--stack", "/dev/null"}},
    {3, {"--config", "/nonexistent/x"}},
    {3, {"--config", "/"}},
    {2, {"--scheme", "rezero:alphas=x.txt"}},
    {3, {"--scheme", "rezero:alphas=/nonexistent/x.json"}},
    {3, {"--depth", "1", "-o", "/nonexistent/x"}},
    {3, {"--depth", "1", "-o", "/"}},
    {3, {"export", "--scheme", "rezero", "--depth", "1", "-o", "/nonexistent/x"}},
};

TEST(CliRefusal, LinesAndCodesAreTheCommittedOnes) {
  REZERO_SKIP_WITH_LAPACKE();
  std::string text;
  for (const Case& one : cases) {
    std::string shown;
    for (const std::string& arg : one.args) shown += " " + (arg.empty() ? "''" : arg);
    text += "$ rezero-analyze" + shown + "\n" + refused(one.args, one.code) + "\n[" +
            std::to_string(one.code) + "]\n";
  }
  expect_golden("refusals.txt", text);
}

TEST(CliRefusal, SuggestsTheNearestName) {
  const std::vector<std::pair<Args, std::string>> suggestions = {
      {{"--shceme", "plain"}, "'--scheme'"},
      {{"--scheme", "rezro"}, "'rezero'"},
      {{"--scheme", "residul"}, "'residual'"},
      {{"--scheme", "fixed:aplha=1"}, "'alpha'"},
      {{"--family", "denze"}, "'dense'"},
      {{"--activation", "gleu"}, "'gelu'"},
      {{"--init", "xaiver"}, "'xavier'"},
      {{"--values", "log1"}, "'log10'"},
      {{"--format", "ndjsn"}, "'ndjson'"},
      {{"--method", "spectr"}, "'spectra'"},
      {{"verfy"}, "'verify'"},
      {{"list", "metric"}, "'metrics'"},
      {{"schema", "verdit"}, "'verdict'"},
      {{"--init", "he:law=nomral"}, "'normal'"},
      {{"--progress", "plan"}, "'plain'"},
      {{"verify", "--scheme", "rezero", "--check", "alve"}, "'alive'"},
      {{"verify", "--chek", "alive"}, "'--check'"}};
  for (const auto& [args, name] : suggestions) {
    const std::string line = refused(args, 2);
    EXPECT_TRUE(contains(line, "Did you mean " + name + "?")) << line;
  }
}

TEST(CliRefusal, ContradictionsNameBoth) {
  const std::vector<std::vector<std::string>> pairs = {
      {"--scheme", "plain"}, {"--family", "mlp"}, {"--width", "4"},        {"--hidden-ratio", "2"},
      {"--init", "he"},      {"--seed", "3"},     {"--activation", "tanh"}};
  for (const auto& pair : pairs) {
    const std::string line = refused({"--stack", "x", pair[0], pair[1]}, 2);
    EXPECT_TRUE(contains(line, pair[0]) && contains(line, "--stack")) << line;
  }
}

TEST(CliRefusal, NumberBesideSeriesOfAScheme) {
  const TemporaryFolder folder;
  spill(folder / "a.json", "[0, 0.5]");
  EXPECT_EQ(ran({"--scheme", "rezero:alphas=" + folder / "a.json", "--width", "4"}).code, 0);
  const std::string line = refused({"--scheme", "rezero:alpha=1:alphas=" + folder / "a.json"}, 2);
  EXPECT_TRUE(contains(line, "'alpha'") && contains(line, "'alphas'")) << line;
}

TEST(CliMemory, IsRefusedBeforeAllocatingWithTheBytes) {
  const std::string line = refused({"--width", "1e9"}, 5);
  EXPECT_TRUE(contains(line, "this would need 46.4 EB of memory")) << line;
  refused({"--width", "9e15"}, 5);
  refused({"verify", "--scheme", "rezero", "--width", "1e9"}, 5);
  refused({"--max-memory", "1"}, 5);
  refused({"--max-memory", "64Ki", "--depth", "1"}, 5);
  EXPECT_TRUE(contains(
      refused({"export", "--scheme", "rezero", "--width", "1e9", "--depth", "1", "-o", "x"}, 5), "EB"));
  EXPECT_FALSE(std::filesystem::exists("x"));
}

TEST(CliMemory, DryRunSaysTheSameWithoutRefusingToAnswer) {
  const Ran got = ran({"--width", "1e9", "--threads", "1", "--dry-run"});
  EXPECT_EQ(got.code, 5);
  EXPECT_TRUE(contains(got.out, "memory   46.4 EB")) << got.out;
  EXPECT_EQ(got.err.find("rezero-analyze: this would need 46.4 EB of memory"), 0u) << got.err;
}

}  // namespace
}  // namespace rezero
