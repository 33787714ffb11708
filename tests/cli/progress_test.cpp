/// The progress bar: what it shows, and that it fits the terminal.

#include "cli/progress.h"

#include "cli/cli_support.h"

namespace rezero {
namespace {

using cli::progress_bar;
using cli::ProgressMode;
using cli::ProgressReport;

TEST(ProgressBar, ShowsShareCellsAndTimeLeft) {
  EXPECT_EQ(progress_bar({0.25, 1, 8}, 3, 79),
            "[##########..............................]  25 %, 1 of 8 cells, 9 s left");
  EXPECT_EQ(progress_bar({0, 0, 1}, 3, 40), "[...................]   0 %, 0 of 1 cell");
  EXPECT_EQ(progress_bar({1, 2, 2}, 3, 79),
            "[########################################] 100 %, 2 of 2 cells, 0 s left");
  // 100 % only at the end
  EXPECT_TRUE(contains(progress_bar({0.9999, 1, 2}, 100, 79), "  99 %, 1 of 2 cells, 1 s left"));
  EXPECT_TRUE(contains(progress_bar({0.5, 1, 2}, 600, 79), "10 min left"));
}

/// First the bar goes, then the cells, then the time.
TEST(ProgressBar, FitsEveryWidth) {
  const SweepProgress now{0.625, 123456, 200000};
  std::string shorter;
  for (Index columns = 0; columns <= 200; ++columns) {
    const std::string line = progress_bar(now, 7777, columns);
    EXPECT_LE(static_cast<Index>(line.size()), columns);
    if (columns >= 5) {
      EXPECT_TRUE(contains(line, " 62 %")) << line;
    }
    if (columns >= 19) {
      EXPECT_TRUE(contains(line, " min left") || contains(line, " h left")) << line;
    }
    if (columns >= 42) {
      EXPECT_TRUE(contains(line, "123456 of 200000 cells")) << line;
    }
    if (columns >= 53) {
      EXPECT_EQ(line.front(), '[') << line;
    }
    shorter = line;
  }
  EXPECT_EQ(shorter.find(']'), 41u);  // not as wide as the widest screens
}

/// A report with a clock set by hand, and all that it wrote.
struct Screen {
  explicit Screen(ProgressMode mode, Index columns = 60) {
    env.err = [this](std::string_view text) { written.emplace_back(text); };
    env.columns_of_err = [columns] { return columns; };
    report.emplace(mode, env, [this] { return ProgressReport::Clock::time_point(time); });
  }
  void at(int milliseconds, SweepProgress now) {
    time = std::chrono::milliseconds(milliseconds);
    report->update(now);
  }
  cli::Environment env;
  std::chrono::milliseconds time{0};
  std::vector<std::string> written;
  std::optional<ProgressReport> report;
};

TEST(ProgressReport, ShortRunsShowNothing) {
  Screen screen(ProgressMode::bar);
  for (int ms = 0; ms < 500; ms += 10) screen.at(ms, {ms / 500.0, 0, 1});
  screen.report.reset();
  EXPECT_TRUE(screen.written.empty());
}

TEST(ProgressReport, DrawsTenTimesASecondAndCleansUp) {
  Screen screen(ProgressMode::bar);
  for (int ms = 0; ms < 1500; ms += 10) screen.at(ms, {ms / 1500.0, 0, 1});
  EXPECT_EQ(screen.written.size(), 10u);
  for (const std::string& line : screen.written) {
    EXPECT_EQ(line.front(), '\r');
    EXPECT_EQ(line.substr(line.size() - 3), "\033[K");
    EXPECT_LT(line.size() - 4, 60u);
  }
  screen.report.reset();
  EXPECT_EQ(screen.written.back(), "\r\033[K");
}

TEST(ProgressReport, PlainIsALineForEveryTenth) {
  Screen screen(ProgressMode::plain);
  for (int i = 0; i <= 100; ++i) screen.at(i, {i / 100.0, static_cast<std::size_t>(i / 50), 2});
  ASSERT_EQ(screen.written.size(), 10u);
  EXPECT_EQ(screen.written.front(), "progress: 10 % (0 of 2 cells)\n");
  EXPECT_EQ(screen.written.back(), "progress: 100 % (2 of 2 cells)\n");
}

/// Percentages of a whole run: each once, ascending, the last 100.
TEST(ProgressReport, RunsOfEveryKindEndAtAHundred) {
  for (const char* typed :
       {"--scheme pre-ln --family transformer --tokens 4 --width 8 --depth 1,12 --seed 0:2",
        "--width 4:64:x2 --depth 1:8 --threads 2", "--scheme plain --method product --depth 30 --width 8",
        "--scheme residual --method spectra --top 2 --depth 30 --width 16 --seed 0:8",
        "--scheme rezero-resnet --family conv --image 8x8 --stages 2,2 --widths 4,8"}) {
    Args args = {"--progress", "plain", "--format", "json"};
    std::istringstream words(typed);
    for (std::string word; words >> word;) args.push_back(word);
    const Ran got = ran(args);
    std::vector<int> percents;
    std::istringstream lines(got.err);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("progress: ", 0) == 0) percents.push_back(std::stoi(line.substr(10)));
    ASSERT_FALSE(percents.empty()) << typed << got.err;
    for (std::size_t i = 1; i < percents.size(); ++i) EXPECT_GT(percents[i], percents[i - 1]) << typed;
    EXPECT_EQ(percents.back(), 100) << typed;
    EXPECT_TRUE(contains(got.err, "progress: 100 %")) << typed;
  }
}

}  // namespace
}  // namespace rezero
