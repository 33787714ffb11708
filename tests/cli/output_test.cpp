/// Targets of -o.

#include <sys/stat.h>

#include "cli/cli_support.h"

namespace rezero {
namespace {

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

const Args quick = {"--scheme", "plain", "--depth", "1", "--width", "4"};

/// -o used to accept a file that the run reads, which was then lost.
class OutputOntoInput : public testing::Test {
 protected:
  /// Refuses -o under every name of the input, which is unchanged. `option`: the option that reads it.
  void expect_refused(const std::string& input, const Args& args, const std::string& option) {
    const std::string before = slurp(input), link = input + ".link", hard = input + ".hard";
    std::filesystem::create_symlink(input, link);
    std::filesystem::create_hard_link(input, hard);
    for (const std::string& output :
         {input, folder_.path() + "/./" + std::filesystem::path(input).filename().string(), link, hard}) {
      const std::string line = refused(with(args, {"-o", output}), 2);
      EXPECT_TRUE(contains(line, "-o '" + output + "' would overwrite the file that " + option + " reads"))
          << line;
    }
    EXPECT_EQ(slurp(input), before);
    EXPECT_EQ(slurp(link), before);
  }

  std::string exported(const std::string& name) {
    const std::string path = folder_ / name;
    EXPECT_EQ(ran({"export", "--scheme", "rezero", "--depth", "1", "--width", "2", "-o", path}).code, 0);
    return path;
  }
  std::string written(const std::string& name, const std::string& text) {
    spill(folder_ / name, text);
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

using CliOutputOntoInput = OutputOntoInput;

TEST_F(CliOutputOntoInput, Stack) {
  const std::string path = exported("s");
  expect_refused(path, {"--stack", path}, "--stack");
  expect_refused(exported("t"), {"verify", "--stack", folder_ / "t"}, "--stack");
}

TEST_F(CliOutputOntoInput, Config) {
  const std::string path = written("plan.json", R"({"scheme": "plain", "depth": 1, "width": 2})");
  expect_refused(path, {"--config", path}, "--config");
  const std::string other = written("other.json", slurp(path));
  expect_refused(other, {"export", "-c", other}, "--config");
  refused({"--config", path, "--dump-plan", "-o", path}, 2);
}

TEST_F(CliOutputOntoInput, FilesThatAPlanNames) {
  const std::string stack = exported("s");
  const std::string plan = written("plan.json", "{\"stack\": \"" + stack + "\"}");
  expect_refused(stack, {"--config", plan}, "--stack");
}

TEST_F(CliOutputOntoInput, InputAndSeries) {
  const std::string input = written("x.npy", "not read"), series = written("a.json", "[0.5]");
  expect_refused(input, with(quick, {"--input", input}), "--input");
  expect_refused(series, {"--scheme", "plain,rezero:alphas=" + series}, "--scheme rezero:alphas");
}

TEST_F(CliOutputOntoInput, EvenBeforeEitherExists) {
  refused({"--stack", folder_ / "new", "-o", folder_.path() + "/./new"}, 2);
  refused({"--config", folder_ / "new", "-o", folder_ / "new"}, 2);
  refused({"--stack", folder_ / "new", "-o", folder_ / "report.json"}, 3);
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_F(CliOutputOntoInput, OtherFilesAreWritten) {
  const std::string path = exported("s");
  EXPECT_EQ(ran({"--stack", path, "-o", path + ".json"}).code, 0);
  EXPECT_EQ(ran(with(quick, {"-o", "/dev/null", "--config", written("p", "{}")})).code, 0);
}

TEST(CliOutput, DashIsStandardOutput) {
  const Ran plain = ran(quick), dash = ran(with(quick, {"-o", "-"}));
  EXPECT_EQ(dash.code, 0);
  EXPECT_EQ(stable(dash.json()), stable(plain.json()));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

}  // namespace
}  // namespace rezero
