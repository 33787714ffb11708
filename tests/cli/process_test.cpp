/// The program as a process: streams, signals, exit status, remaining files.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "cli/cli_support.h"

namespace rezero {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The program, started in a folder with out, err and in redirected there.
class Process {
 public:
  struct Streams {
    std::string out = "out", err = "err", in = "/dev/null";  ///< "-": closed
    rlim_t largest_file = RLIM_INFINITY, address_space = RLIM_INFINITY, stack = RLIM_INFINITY;
  };

  Process(const TemporaryFolder& folder, const Args& args, const Streams& streams) : start_(Clock::now()) {
    pid_ = ::fork();
    if (pid_ == 0) start(folder, args, streams);
  }
  ~Process() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), wait();
  }

  void send(int signal) const { ::kill(pid_, signal); }

  /// As reported by a shell: 128 + signal for an end by signal.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  static void redirect(int descriptor, const std::string& path, int flags) {
    if (path == "-") {
      ::close(descriptor);
      return;
    }
    const int file = ::open(path.c_str(), flags, 0644);
    if (file < 0) ::_exit(99);
    if (file != descriptor) ::dup2(file, descriptor), ::close(file);
  }

  [[noreturn]] static void start(const TemporaryFolder& folder, const Args& args, const Streams& streams) {
    if (::chdir(folder.path().c_str()) != 0) ::_exit(98);
    for (int signal : {SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_DFL);
    redirect(0, streams.in, O_RDONLY);
    redirect(1, streams.out, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, streams.err, O_WRONLY | O_CREAT | O_TRUNC);
    const auto limit = [](auto resource, rlim_t most) {
      const rlimit both{most, most};
      if (most != RLIM_INFINITY) ::setrlimit(resource, &both);
    };
    limit(RLIMIT_FSIZE, streams.largest_file);
    limit(RLIMIT_AS, streams.address_space);
    limit(RLIMIT_STACK, streams.stack);
    std::vector<char*> argv = {const_cast<char*>("rezero-analyze")};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    ::execv(REZERO_ANALYZE, argv.data());
    ::_exit(97);
  }

  pid_t pid_ = -1;
  Clock::time_point start_;
};

int status(const TemporaryFolder& folder, const Args& args, const Process::Streams& streams = {}) {
  return Process(folder, args, streams).wait();
}

/// Line count of what stderr got.
long error_lines(const TemporaryFolder& folder) {
  const std::string text = slurp(folder / "err");
  return std::count(text.begin(), text.end(), '\n');
}

/// A shell line with $R as the program; the folder is its working directory.
int shell(const TemporaryFolder& folder, const std::string& line) {
  spill(folder / "script", "R='" + std::string(REZERO_ANALYZE) + "'\n" + line + "\n");
  return WEXITSTATUS(std::system(("cd '" + folder.path() + "' && timeout 60 bash script").c_str()));
}

/// The lines of a file: each whole, and JSON.
std::vector<Json> whole_lines(const std::string& path) {
  const std::string text = slurp(path);
  EXPECT_TRUE(text.empty() || text.back() == '\n') << path;
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    EXPECT_TRUE(Json::accept(line)) << line.substr(0, 100);
    if (Json::accept(line)) lines.push_back(Json::parse(line));
  }
  return lines;
}

const Args quick = {"--scheme", "plain", "--depth", "1", "--width", "4"};

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(CliProcess, ReaderThatLeavesIsNoError) {
  const TemporaryFolder folder;
  for (const std::string args :
       {"", "--scheme rezero --format ndjson --depth 1:200 --width 8 --seed 0:9",
        "--scheme rezero --format table --depth 1:300 --width 2",
        "--scheme rezero --depth 1:100 --width 16 --seed 0:9",  // more than a pipe holds, soon even under
                                                                // sanitizers
        "list", "schema", "--help"}) {
    // The reader is gone before the first byte: `true` reads nothing.
    const int code = shell(folder, "$R " + args + " 2>err | true; exit ${PIPESTATUS[0]}");
    EXPECT_TRUE(code == 141 || code == 0) << args << code;
    EXPECT_EQ(slurp(folder / "err"), "") << args;
    EXPECT_EQ(shell(folder, "$R " + args + " 2>err | head -1 >line"), 0);
    EXPECT_EQ(slurp(folder / "err"), "") << args;
    EXPECT_NE(slurp(folder / "line"), "") << args;
  }
}

TEST(CliProcess, FullDiskIsExitThreeAndOneLine) {
  const TemporaryFolder folder;
  Process::Streams streams;
  streams.out = "/dev/full";
  const std::vector<Args> all = {{},
                                 with(quick, {"--format", "ndjson"}),
                                 with(quick, {"--format", "table"}),
                                 {"--help"},
                                 {"--version"},
                                 {"--dump-plan"},
                                 {"--dry-run"},
                                 {"list"},
                                 {"schema"},
                                 {"verify", "--scheme", "rezero", "--depth", "1"}};
  for (const Args& args : all) {
    EXPECT_EQ(status(folder, args, streams), 3);
    EXPECT_EQ(error_lines(folder), 1) << slurp(folder / "err");
    EXPECT_TRUE(contains(slurp(folder / "err"), "standard output")) << slurp(folder / "err");
  }
  EXPECT_EQ(status(folder, with(quick, {"-o", "/dev/full"})), 3);
  EXPECT_EQ(error_lines(folder), 1);
}

TEST(CliProcess, ClosedStreams) {
  const TemporaryFolder folder;
  Process::Streams no_out, no_err, no_in, none;
  no_out.out = no_err.err = no_in.in = none.out = none.err = none.in = "-";
  EXPECT_EQ(status(folder, quick, no_out), 3);
  EXPECT_EQ(error_lines(folder), 1);
  EXPECT_EQ(status(folder, quick, no_err), 0);
  EXPECT_EQ(slurp(folder / "out")[0], '{');
  EXPECT_EQ(status(folder, {"--depth", "0"}, no_err), 2);
  EXPECT_EQ(status(folder, quick, no_in), 0);
  EXPECT_EQ(status(folder, quick, none), 3);
  EXPECT_EQ(status(folder, with(quick, {"-o", "r.json"}), none), 0);
  EXPECT_EQ(Json::parse(slurp(folder / "r.json"))["results"].size(), 1u);
}

TEST(CliProcess, OutputFileThatDoesNotFitLeavesTheOldOne) {
  const TemporaryFolder folder;
  spill(folder / "r.json", "old");
  Process::Streams small;
  small.largest_file = 8192;
  EXPECT_EQ(status(folder, {"-o", "r.json"}, small), 3);
  EXPECT_EQ(error_lines(folder), 1) << slurp(folder / "err");
  EXPECT_EQ(status(folder, {"export", "--scheme", "plain", "--depth", "4", "-o", "r.json"}, small), 3);
  EXPECT_EQ(error_lines(folder), 1) << slurp(folder / "err");
  EXPECT_EQ(slurp(folder / "r.json"), "old");
  EXPECT_EQ(folder.entries(), 3u);
}

/// If a stream into a file exceeds a limit, the file keeps the whole lines that fit.
TEST(CliProcess, LinesThatDoNotFitAreLeftOutWhole) {
  const TemporaryFolder folder;
  Process::Streams small;
  small.largest_file = 30000;
  EXPECT_EQ(
      status(folder, {"--scheme", "rezero", "--depth", "1:40", "--width", "32", "-o", "r.ndjson"}, small), 3);
  EXPECT_EQ(error_lines(folder), 1) << slurp(folder / "err");
  EXPECT_GT(whole_lines(folder / "r.ndjson").size(), 2u);
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool limits_address_space = false;  // shadow memory takes terabytes of it
#else
constexpr bool limits_address_space = true;
#endif

/// The first of threads that cannot be started ended the process, in OpenMP's runtime.
TEST(CliProcess, WorksOnTheThreadsThatItCanStart) {
  if (!limits_address_space) GTEST_SKIP();
  const TemporaryFolder folder;
  Process::Streams small;
  small.address_space = rlim_t{512} << 20;
  small.stack = rlim_t{64} << 20;
  const Args args = {"--scheme", "residual", "--depth",  "2",    "--width",      "8",   "--seed", "0:99",
                     "--format", "csv",      "--values", "none", "--max-memory", "100M"};
  ASSERT_EQ(status(folder, with(args, {"--threads", "1", "-o", "one"})), 0) << slurp(folder / "err");
  ASSERT_EQ(status(folder, with(args, {"--threads", "64", "-o", "many"}), small), 0) << slurp(folder / "err");
  EXPECT_EQ(slurp(folder / "one"), slurp(folder / "many"));
}

/// Settings of OpenMP in the environment change no result.
TEST(CliProcess, EnvironmentOfOpenMp) {
  const TemporaryFolder folder;
  const std::string run = "$R --scheme residual --depth 4 --width 96 --threads 3 --format csv";
  ASSERT_EQ(shell(folder, run + " >plain 2>err"), 0) << slurp(folder / "err");
  for (const std::string setting :
       {"OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1", "OMP_THREAD_LIMIT=2", "OMP_DYNAMIC=true",
        "OMP_MAX_ACTIVE_LEVELS=3", "OMP_PROC_BIND=true", "OMP_WAIT_POLICY=active"})
    EXPECT_EQ(shell(folder, setting + " " + run + " >other 2>err && cmp plain other"), 0)
        << setting << slurp(folder / "err");
  const std::string untimed = " $R --dry-run | grep -v ^time ";
  ASSERT_EQ(shell(folder, untimed + ">plain; OMP_NUM_THREADS=7 OMP_PROC_BIND=true" + untimed + ">other"), 0);
  EXPECT_EQ(slurp(folder / "plain"), slurp(folder / "other")) << "the default number of threads";
}

#if defined(__GNUC__) && !defined(__clang__)
/// It is set before the runtime reads it, unless the user has set it.
TEST(CliProcess, IdleThreadsSpinBriefly) {
  const TemporaryFolder folder;
  const auto shown = [&](const std::string& settings) {
    EXPECT_EQ(shell(folder, settings + " OMP_DISPLAY_ENV=verbose $R --version 2>env"), 0);
    return slurp(folder / "env");
  };
  EXPECT_TRUE(contains(shown("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT"), "GOMP_SPINCOUNT = '10000'"));
  EXPECT_TRUE(contains(shown("GOMP_SPINCOUNT=5"), "GOMP_SPINCOUNT = '5'"));
  EXPECT_TRUE(contains(shown("OMP_WAIT_POLICY=active"), "OMP_WAIT_POLICY = 'ACTIVE'"));
}
#endif

/// Ten million cells used to be listed one by one with all their labels, which took gigabytes before any
/// output.
TEST(CliProcess, DryRunOfMillionsOfCellsIsSmall) {
  if (!limits_address_space) GTEST_SKIP();
  const TemporaryFolder folder;
  Process::Streams small;
  small.address_space = rlim_t{256} << 20;
  const Args args = {"--scheme", "rezero",    "--depth", "1",        "--max-memory",
                     "1T",       "--threads", "1",       "--dry-run"};
  EXPECT_EQ(status(folder, with(args, {"--seed", "0:999999"}), small), 0) << slurp(folder / "err");
  EXPECT_TRUE(contains(slurp(folder / "out"), "cells    1000000 (1000000 rows)")) << slurp(folder / "out");
  EXPECT_EQ(status(folder, with(args, {"--seed", "0:99999", "--width", "1:100"}), small), 0)
      << slurp(folder / "err");
  EXPECT_TRUE(contains(slurp(folder / "out"), "cells    10000000 (10000000 rows)")) << slurp(folder / "out");
}

/// The memory for reading a stack file is checked before it is read, from files and from pipes.
TEST(CliProcess, StackFilesCountAgainstTheLimit) {
  const TemporaryFolder folder;
  ASSERT_EQ(ran({"export", "--scheme", "plain", "--family", "linear", "--depth", "20", "--width", "256", "-o",
                 folder / "x"})
                .code,
            0);
  for (const std::string limit : {"1M", "12M"}) {
    EXPECT_EQ(shell(folder, "$R --stack x --max-memory " + limit + " >out 2>err"), 5);
    EXPECT_TRUE(contains(slurp(folder / "err"), "reading 'x' would need ")) << slurp(folder / "err");
    EXPECT_EQ(error_lines(folder), 1);
    EXPECT_EQ(shell(folder, "cat x | $R verify --stack /dev/stdin --max-memory " + limit + " >out 2>err"), 5);
    EXPECT_TRUE(contains(slurp(folder / "err"), "reading '/dev/stdin' would need ")) << slurp(folder / "err");
    EXPECT_EQ(slurp(folder / "out"), "");
  }
}

TEST(CliProcess, OutputFolderThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(status(folder, with(quick, {"-o", "/proc/x.json"})), 3);
  EXPECT_EQ(error_lines(folder), 1);
  EXPECT_EQ(status(folder, with(quick, {"-o", "missing/x.json"})), 3);
  spill(folder / "file", "");
  EXPECT_EQ(status(folder, with(quick, {"-o", "file/x.json"})), 3);
  EXPECT_EQ(error_lines(folder), 1);
  if (::geteuid() == 0) return;  // nothing is unwritable to root
  ::chmod(folder.path().c_str(), 0500);
  EXPECT_EQ(status(folder, with(quick, {"-o", "x.json"}), {"/dev/null", "/dev/null"}), 3);
  ::chmod(folder.path().c_str(), 0700);
}

/// getrusage includes the memory of the parent that starts the program, which is not the program's own.
TEST(CliProcess, PeakMemoryIsItsOwn) {
  constexpr std::size_t held = std::size_t{512} << 20;
  const std::vector<char> memory(held, 1);
  const TemporaryFolder folder;
  EXPECT_EQ(status(folder, quick), 0);
  EXPECT_EQ(memory[held / 2], 1);
  EXPECT_LT(Json::parse(slurp(folder / "out"))["run"]["peak_bytes"].get<std::size_t>(), held / 2);
}

/// Packed factors of products were on the stack, 128 kB each: `ulimit -s 256` could end in SIGSEGV.
TEST(CliProcess, SmallStack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "instrumented frames are larger";
#endif
  const TemporaryFolder folder;
  Process::Streams small;
  small.stack = 128 << 10;
  const Args deep = {"--scheme", "residual", "--depth", "2", "--width", "200"};
  std::vector<Args> all = {{"--depth", "1:16:x4", "--threads", "1"},
                           {"--depth", "1:16:x4", "--threads", "2"},
                           {"--scheme", "pre-ln", "--depth", "2", "--family", "transformer", "--width", "32"},
                           {"--scheme", "residual", "--depth", "2", "--family", "conv"},
                           {"verify", "--scheme", "rezero", "--depth", "4", "--width", "200", "--check",
                            "identity,alive,isometry"},
                           {"--scheme", "residual", "--depth", "2", "--width", "100", "--method", "jacobi"},
                           with(deep, {"--method", "spectra", "--top", "3"}),
                           with({"export", "-o", "x"}, deep)};
  for (const char* method : {"dense", "bdcsvd", "product", "density"})
    all.push_back(with(deep, {"--method", method, "--threads", "2"}));
  for (const Args& args : all) {
    std::string shown;
    for (const std::string& word : args) shown += word + " ";
    EXPECT_EQ(status(folder, args, small), 0) << shown << slurp(folder / "err");
  }
}

TEST(CliProcess, ExportToStandardOutput) {
  const TemporaryFolder folder;
  const std::string options = "export --scheme rezero --depth 2 --width 3 -o ";
  EXPECT_EQ(shell(folder, "$R " + options + "x && $R " + options + "- | cat >y && cmp x y"), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "-"));
}

TEST(CliProcess, PipesAreRead) {
  const TemporaryFolder folder;
  ASSERT_EQ(ran({"export", "--scheme", "rezero", "--depth", "2", "--width", "3", "-o", folder / "x"}).code,
            0);
  spill(folder / "plan.json", R"({"scheme": "plain", "depth": 1, "width": 4})");
  EXPECT_EQ(shell(folder, "mkfifo f && (cat x >f &) && $R verify --stack f >out 2>err"), 0)
      << slurp(folder / "err");
  EXPECT_EQ(shell(folder, "cat x | $R verify --stack /dev/stdin >out 2>err"), 0) << slurp(folder / "err");
  EXPECT_EQ(shell(folder, "$R verify --stack /dev/stdin <x >out 2>err"), 0) << slurp(folder / "err");
  EXPECT_EQ(shell(folder, "(cat plan.json >f &) && $R --config f >out 2>err"), 0) << slurp(folder / "err");
  EXPECT_EQ(Json::parse(slurp(folder / "out"))["results"].size(), 1u);
  EXPECT_EQ(shell(folder, "$R --config <(cat plan.json) >out 2>err"), 0) << slurp(folder / "err");
  EXPECT_EQ(shell(folder, "$R --depth 1 --width 4 --seed 0:2 | $R --config /dev/stdin >out 2>err"), 0)
      << slurp(folder / "err");
  EXPECT_EQ(shell(folder, "$R --stack . >out 2>err"), 3);
  EXPECT_EQ(error_lines(folder), 1);
  EXPECT_EQ(shell(folder, "$R --depth 1 --width 4 -o /dev/stdout | head -c 1 >out"), 0);
  EXPECT_EQ(slurp(folder / "out"), "{");
}

// ---- signals

/// More work than any test waits for; the first rows come at once.
Args endless(const std::string& format) {
  return {"--scheme", "residual", "--width",   "400", "--depth",  "1,2,100000",
          "--seed",   "0:3",      "--threads", "1",   "--format", format};
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void wait_for_bytes(const std::string& path, std::size_t bytes) {
  for (int i = 0; i < 500 && slurp(path).size() < bytes; ++i) std::this_thread::sleep_for(milliseconds(10));
}

TEST(CliSignal, StopsInTimeAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM})
    for (const bool to_file : {false, true}) {
      const TemporaryFolder folder;
      spill(folder / "r.json", "old");
      Process process(folder, to_file ? with(endless("json"), {"-o", "r.json"}) : endless("json"), {});
      std::this_thread::sleep_for(milliseconds(150));
      const auto sent = Clock::now();
      process.send(signal);
      EXPECT_EQ(process.wait(), 128 + signal);
      EXPECT_LT(seconds_since(sent), 3);
      EXPECT_EQ(slurp(folder / "out"), "");
      EXPECT_EQ(slurp(folder / "err"), "");
      EXPECT_EQ(slurp(folder / "r.json"), "old");
      EXPECT_EQ(folder.entries(), 3u);
    }
}

TEST(CliSignal, FinishedLinesStay) {
  const TemporaryFolder folder;
  Args args = endless("ndjson");
  args[5] = "1:2000";  // far more than there will be time for
  args[3] = "48";
  args[1] = "stable-resnet";  // its blocks depend on the depth: each row is a cell of its own
  Process process(folder, args, {});
  wait_for_bytes(folder / "out", 20000);
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  ASSERT_GE(slurp(folder / "out").size(), 20000u);
  EXPECT_GT(whole_lines(folder / "out").size(), 2u);
}

void wait_for_lines(const std::string& path, long lines) {
  const auto count = [&] {
    const std::string text = slurp(path);
    return std::count(text.begin(), text.end(), '\n');
  };
  for (int i = 0; i < 500 && count() < lines; ++i) std::this_thread::sleep_for(milliseconds(10));
}

/// The context and the rows of the first two depths, long before their stack is finished.
void expect_two_rows(const std::string& path) {
  const std::vector<Json> lines = whole_lines(path);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["kind"], "context");
  EXPECT_EQ(lines[1]["depth"], 1);
  EXPECT_EQ(lines[2]["depth"], 2);
}

TEST(CliSignal, RowsComeDepthByDepth) {
  const TemporaryFolder folder;
  Process process(folder, endless("ndjson"), {});
  wait_for_lines(folder / "out", 3);
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  expect_two_rows(folder / "out");
  EXPECT_EQ(slurp(folder / "err"), "");
}

TEST(CliSignal, FileOfLinesKeepsItsRowsAndSaysSo) {
  for (const int signal : {SIGINT, SIGTERM})
    for (const bool twice : {false, true}) {
      const TemporaryFolder folder;
      spill(folder / "r.ndjson", "old");
      Process process(folder, with(endless("ndjson"), {"-q", "-o", "r.ndjson"}), {});
      wait_for_lines(folder / "r.ndjson", 3);
      process.send(signal);
      if (twice) process.send(signal);
      EXPECT_EQ(process.wait(), 128 + signal);
      expect_two_rows(folder / "r.ndjson");
      EXPECT_EQ(slurp(folder / "err"), "rezero-analyze: interrupted: 'r.ndjson' keeps 2 of 12 rows\n");
      EXPECT_EQ(slurp(folder / "out"), "");
    }
}

/// A csv cannot show that it was cut short.
TEST(CliSignal, OtherFilesStayWhole) {
  const TemporaryFolder folder;
  spill(folder / "r.csv", "old");
  Process process(folder, with(endless("csv"), {"-o", "r.csv"}), {});
  std::this_thread::sleep_for(milliseconds(150));
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  EXPECT_EQ(slurp(folder / "r.csv"), "old");
  EXPECT_EQ(slurp(folder / "err"), "");
}

TEST(CliSignal, SecondSignalEndsAtOnce) {
  const TemporaryFolder folder;
  Process process(folder, endless("json"), {});
  std::this_thread::sleep_for(milliseconds(100));
  process.send(SIGINT);
  process.send(SIGTERM);
  const auto sent = Clock::now();
  const int code = process.wait();
  EXPECT_TRUE(code == 130 || code == 143) << code;
  EXPECT_LT(seconds_since(sent), 0.5);
  EXPECT_EQ(slurp(folder / "out"), "");
}

TEST(CliSignal, ExportStopsToo) {
  const TemporaryFolder folder;
  Process process(folder, {"export", "--scheme", "plain", "--width", "128", "--depth", "20000", "-o", "x"},
                  {});
  std::this_thread::sleep_for(milliseconds(150));
  const auto sent = Clock::now();
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  EXPECT_LT(seconds_since(sent), 3);
  EXPECT_EQ(folder.entries(), 2u);
}

}  // namespace
}  // namespace rezero
