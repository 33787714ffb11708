#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/limits.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

std::string cells_text(const SweepProgress& now) {
  return std::to_string(now.cells_done) + " of " + std::to_string(now.cells) +
         (now.cells == 1 ? " cell" : " cells");
}

/// If the rest takes as long per share as what is done. Whole seconds; nothing while too little is known.
std::string time_text(const SweepProgress& now, double seconds) {
  constexpr double known = 1e-3;
  if (now.share < known) return "";
  const double left = seconds * (1 - now.share) / now.share;
  return ", " + (left < 10 ? seconds_text(std::ceil(left)) : seconds_text(left)) + " left";
}

}  // namespace

ProgressMode parse_progress(const std::string& text, bool quiet, const Environment& env) {
  const auto is = [&text](std::string_view word) { return same_but_for_case(text, word); };
  if (!is("auto") && !is("never") && !is("plain"))
    throw UsageError(unknown_name_message("value of --progress", text, {"auto", "never", "plain"}));
  if (quiet || is("never")) return ProgressMode::none;
  if (is("plain")) return ProgressMode::plain;
  return env.err_is_terminal ? ProgressMode::bar : ProgressMode::none;
}

std::string progress_bar(const SweepProgress& now, double seconds, Index columns) {
  constexpr Index widest = 40, narrowest = 8, frame = 3;  // the brackets and a blank
  char percent[16];
  // rounded down: 100 % is the end
  std::snprintf(percent, sizeof percent, "%3.0f %%", std::floor(now.share * 100));
  const std::string cells = ", " + cells_text(now), time = time_text(now, seconds);
  const auto fits = [columns](const std::string& text) { return static_cast<Index>(text.size()) <= columns; };
  for (const std::string& text : {percent + cells + time, percent + time, std::string(percent)}) {
    if (!fits(text)) continue;
    const Index bar = std::min(widest, columns - static_cast<Index>(text.size()) - frame);
    if (bar < narrowest) return text;
    const auto done = static_cast<std::size_t>(now.share * static_cast<double>(bar));
    return "[" + std::string(done, '#') + std::string(static_cast<std::size_t>(bar) - done, '.') + "] " +
           text;
  }
  return "";
}

void ProgressReport::update(const SweepProgress& now) {
  if (mode_ == ProgressMode::bar) draw_bar(now);
  if (mode_ == ProgressMode::plain) print_line(now);
}

void ProgressReport::draw_bar(const SweepProgress& now) {
  using std::chrono::milliseconds;
  const auto time = now_();
  // short runs show nothing
  if (time - last_ < milliseconds(100) || time - start_ < milliseconds(500)) return;
  last_ = time;
  const double seconds = std::chrono::duration<double>(time - start_).count();
  // Some terminals wrap at once after a character in the last column.
  env_.err("\r" + progress_bar(now, seconds, env_.columns_of_err() - 1) + "\033[K");
  drawn_ = true;
}

void ProgressReport::print_line(const SweepProgress& now) {
  const int tenth = static_cast<int>(now.share * 10);
  if (tenth == last_tenth_) return;
  last_tenth_ = tenth;
  env_.err("progress: " + std::to_string(tenth * 10) + " % (" + cells_text(now) + ")\n");
}

void ProgressReport::clear() {
  if (drawn_) env_.err("\r\033[K");
  drawn_ = false;
}

}  // namespace rezero::cli
