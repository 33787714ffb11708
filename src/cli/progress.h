#pragma once
/// The progress of a sweep, on stderr.

#include <chrono>
#include <string>

#include "cli/environment.h"

namespace rezero::cli {

enum class ProgressMode { none, bar, plain };

/// `auto`: a bar on a terminal, otherwise nothing. `never`, `plain` (one line per ten per cent). UsageError
/// otherwise.
ProgressMode parse_progress(const std::string& text, bool quiet, const Environment& env);

class ProgressReport {
 public:
  ProgressReport(ProgressMode mode, const Environment& env) : mode_(mode), env_(env) {}
  ~ProgressReport() { clear(); }
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  bool wanted() const { return mode_ != ProgressMode::none; }
  void update(Index done, Index all);
  void clear();  ///< removes the bar from the screen

 private:
  using Clock = std::chrono::steady_clock;
  void draw_bar(Index done, Index all);
  void print_line(Index done, Index all);

  ProgressMode mode_;
  const Environment& env_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  Index last_tenth_ = 0;
  bool drawn_ = false;
};

}  // namespace rezero::cli
