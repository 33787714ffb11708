/// Unusual command lines: one line, exit 2 or 3, never a crash, no control characters.

#include <random>

#include "cli/cli_support.h"
#include "rezero/core/registry.h"

namespace rezero {
namespace {

const std::vector<std::string> valued = {
    "--scheme", "--family", "--depth",      "--width",   "--hidden-ratio", "--activation", "--init",
    "--seed",   "--input",  "--stack",      "--method",  "--top",          "--bottom",     "--values",
    "--config", "--format", "--max-memory", "--threads", "--progress"};

TEST(CliHostileOptions, NoValueReachesTheTerminalAsItIs) {
  const std::vector<std::string> values = {"\x1b[31mred",
                                           "a\nb",
                                           "\r\x7f",
                                           "\xc2\x9b"
                                           "31m",
                                           "\xff\xfe",
                                           "\xe2\x80\xae"
                                           "abc",
                                           "\xed\xa0\x80",
                                           std::string("a\0b", 3),
                                           "\xe2\x81\xa6",
                                           "é∂–名"};
  for (const std::string& option : valued)
    for (const std::string& value : values) {
      const Ran got = ran({option, value});
      EXPECT_TRUE(got.code == 2 || got.code == 3) << option << " " << got.err;
      EXPECT_EQ(got.out, "");
      EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << got.err;
      for (const char* bad : {"\x1b", "\r", "\x7f", "\xc2\x9b", "\xff", "\xe2\x80\xae", "\xed\xa0"})
        EXPECT_FALSE(contains(got.err, bad)) << option << " " << got.err;
    }
  EXPECT_TRUE(contains(refused({"--scheme", "é∂–名"}, 2), "'é∂–名'"));
}

TEST(CliHostileOptions, LongArguments) {
  const std::string million(1'000'000, 'x');
  std::string commas, colons, euros;
  for (int i = 0; i < 200'000; ++i) commas += "a,", colons += "a:", euros += "€";
  for (const std::string& option : valued)
    for (const std::string& value : {million, commas, colons, euros, std::string(100'000, '9')}) {
      const Ran got = ran({option, value});
      EXPECT_TRUE(got.code == 2 || got.code == 3) << option << got.code;
      EXPECT_LT(got.err.size(), 2000u) << option;
      EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << option;
    }
  for (const Args& args : {Args{million}, Args{"--" + million}, Args{"-" + million}, Args{"list", million}})
    EXPECT_LT(refused(args, 2).size(), 2000u);
}

/// Values that CLI11 would interpret are treated like any other value.
TEST(CliHostileOptions, ValuesAreTakenAsWritten) {
  for (const std::string value :
       {"[]", "{}", "[a,b]", "%%", "\"\"", "''", "'x'", "--depth.npy", "=x", "-", "--", "-.2", "@0"}) {
    if (value[0] == '[') {  // a pattern, cut at the comma of a list
      const std::string first = value.substr(0, value.find(','));
      EXPECT_TRUE(contains(refused({"--stack=" + value}, 2), "--stack '" + first + "' matches no file"));
    } else {
      EXPECT_TRUE(contains(refused({"--stack", "/nonexistent/" + value}, 3), "'/nonexistent/" + value + "'"));
      EXPECT_TRUE(contains(refused({"--stack=" + value}, 3), "cannot read '" + value + "'")) << value;
    }
    if (value[0] != '=') {
      EXPECT_TRUE(contains(refused({"-c" + value}, 3), "cannot read '" + value + "'")) << value;
    }
  }
  EXPECT_TRUE(contains(refused({"--hidden-ratio", "-.2"}, 2), "got -0.2"));
}

TEST(CliHostileOptions, RepeatedAndBundled) {
  EXPECT_EQ(ran({"-qq", "--tied", "--tied", "--depth", "1", "--depth=1", "--width", "4"}).code, 0);
  const TemporaryFolder folder;
  EXPECT_EQ(ran({"--depth", "1", "--width", "4", "-qo" + folder / "x"}).code, 0);
  EXPECT_EQ(ran({"--depth", "1", "--width", "4", "-qo", folder / "y"}).code, 0);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(CliHostileOptions, RandomLinesNeverCrash) {
  const std::vector<std::string> words = {"verify", "list",    "schema",   "-q",        "-c",
                                          "-o",     "-h",      "--tied",   "--profile", "--dry-run",
                                          "--",     "-",       "",         "=",         "1",
                                          "0",      "-1",      "1:3",      "1:4:x2",    "3:1",
                                          "1e3",    "nan",     "1e400",    "0x1",       "2,2,1",
                                          ",",      ":",       "plain",    "rezero",    "fixed:alpha=-1",
                                          "fixed:", "gated:a", "mlp",      "glu",       "relu",
                                          "tanh",   "he",      "gaussian", "json",      "table",
                                          "csv",    "auto",    "dense",    "spectra",   "log10",
                                          "none",   "normal",  "sphere",   "/",         "/nonexistent",
                                          "é",      "\x1b[0m", "[]",       "{}",        "--help=",
                                          "-.5",    "+5",      "identity", "alive",     "isometry:tol=0",
                                          "x=y",    "a:b=c",   "a:b=",     "a:=c",      "1:2:x",
                                          "1:2:x0", "1:2:xnan"};
  std::mt19937_64 random(7);
  const auto pick = [&random](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const char* wanted = std::getenv("REZERO_TEST_FUZZ");
  const std::size_t lines = wanted ? std::stoul(wanted) : 3000;
  std::map<int, int> codes;
  for (std::size_t i = 0; i < lines; ++i) {
    Args args = {"--dump-plan"};
    if (random() % 4 == 0) args = {"verify", "--dump-plan"};
    for (std::size_t k = random() % 5; k > 0; --k) {
      const std::string option = random() % 8 ? pick(valued) : pick(words);
      std::string value = pick(words);
      if (random() % 16 == 0) value += static_cast<char>(random());
      if (option == "-o" || value == "-o") continue;
      if (random() % 3 == 0)
        args.push_back(option + "=" + value);
      else
        args.insert(args.end(), {option, value});
    }
    const Ran got = ran(args);
    std::string shown;
    for (const std::string& arg : args) shown += printable(arg) + " ";
    EXPECT_TRUE(got.code == 0 || got.code == 2 || got.code == 3) << shown << got.code << got.err;
    EXPECT_FALSE(contains(got.err, "internal")) << shown << got.err;
    EXPECT_EQ(got.out.empty(), got.code != 0) << shown;
    if (got.code != 0) {
      EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << shown << got.err;
    }
    ++codes[got.code];
  }
  EXPECT_GT(codes[0], 20);
  EXPECT_GT(codes[2], 20);
}

TEST(CliPrintable, CutsBetweenCharacters) {
  for (std::size_t before = 190; before <= 203; ++before)
    for (const char* character : {"é", "€", "😀"}) {
      std::string text(before, 'x');
      for (int i = 0; i < 9; ++i) text += character;
      const std::string shown = printable(text);
      EXPECT_FALSE(contains(shown, "\\x")) << shown;
      EXPECT_LE(shown.size(), 203u);
      EXPECT_EQ(printable(shown.substr(0, shown.rfind("…"))), shown.substr(0, shown.rfind("…")));
    }
}

TEST(CliPrintable, EscapesWhatActsOnTheLine) {
  EXPECT_EQ(printable("a\x1b\n\x7f"), "a\\x1b\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x80 \xc2\x9f \xc2\xa0"), "\\xc2\\x80 \\xc2\\x9f \xc2\xa0");
  EXPECT_EQ(printable("\xff \xc3 \xc0\xaf \xf5\x80\x80\x80"), "\\xff \\xc3 \\xc0\\xaf \\xf5\\x80\\x80\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xae"), "\\xe2\\x80\\xa8\\xe2\\x80\\xae");
  EXPECT_EQ(printable("é € 😀 …"), "é € 😀 …");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace rezero
