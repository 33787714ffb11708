#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

#include "rezero/core/registry.h"

namespace rezero::cli {

ProgressMode parse_progress(const std::string& text, bool quiet, const Environment& env) {
  const auto is = [&text](std::string_view word) { return same_but_for_case(text, word); };
  if (!is("auto") && !is("never") && !is("plain"))
    throw UsageError(unknown_name_message("value of --progress", text, {"auto", "never", "plain"}));
  if (quiet || is("never")) return ProgressMode::none;
  if (is("plain")) return ProgressMode::plain;
  return env.err_is_terminal ? ProgressMode::bar : ProgressMode::none;
}

void ProgressReport::update(Index done, Index all) {
  if (mode_ == ProgressMode::bar) draw_bar(done, all);
  if (mode_ == ProgressMode::plain) print_line(done, all);
}

void ProgressReport::draw_bar(Index done, Index all) {
  const auto now = Clock::now();
  using std::chrono::milliseconds;
  if (now - last_ < milliseconds(100) || now - start_ < milliseconds(500)) return;  // short runs show nothing
  last_ = now;
  constexpr int width = 30;
  const double share = static_cast<double>(done) / static_cast<double>(std::max<Index>(all, 1));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string bar(static_cast<std::size_t>(share * width), '#');
  bar.resize(width, '.');
  char line[128];
  std::snprintf(line, sizeof line, "\r[%s] %3.0f %%  %lld/%lld blocks, %.0f s left \033[K", bar.c_str(),
                share * 100, static_cast<long long>(done), static_cast<long long>(all),
                elapsed * (1 - share) / std::max(share, 1e-9));
  env_.err(line);
  drawn_ = true;
}

void ProgressReport::print_line(Index done, Index all) {
  const Index tenth = done * 10 / std::max<Index>(all, 1);
  if (tenth == last_tenth_) return;
  last_tenth_ = tenth;
  env_.err("progress: " + std::to_string(tenth * 10) + " % (" + std::to_string(done) + " of " +
           std::to_string(all) + " blocks)\n");
}

void ProgressReport::clear() {
  if (drawn_) env_.err("\r\033[K");
  drawn_ = false;
}

}  // namespace rezero::cli
