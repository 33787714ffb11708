#pragma once
/// The progress of a sweep, on stderr.

#include <chrono>
#include <functional>
#include <string>

#include "cli/environment.h"

namespace rezero::cli {

enum class ProgressMode { none, bar, plain };

/// `auto`: a bar on a terminal, otherwise nothing. `never`, `plain` (one line per ten per cent). UsageError
/// otherwise.
ProgressMode parse_progress(const std::string& text, bool quiet, const Environment& env);

/// `[####......]  42 %, 3 of 8 cells, 12 s left` after that many seconds. At most `columns` characters: the
/// bar takes what the text leaves and, in narrow terminals, goes first, then the cells, then the time.
std::string progress_bar(const SweepProgress& now, double seconds, Index columns);

class ProgressReport {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  ProgressReport(ProgressMode mode, const Environment& env, Now now = Clock::now)
      : mode_(mode), env_(env), now_(std::move(now)), start_(now_()), last_(start_) {}
  ~ProgressReport() { clear(); }
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  bool wanted() const { return mode_ != ProgressMode::none; }
  void update(const SweepProgress& now);
  void clear();  ///< removes the bar from the screen

 private:
  void draw_bar(const SweepProgress& now);
  void print_line(const SweepProgress& now);

  ProgressMode mode_;
  const Environment& env_;
  Now now_;
  Clock::time_point start_, last_;
  int last_tenth_ = 0;
  bool drawn_ = false;
};

}  // namespace rezero::cli
