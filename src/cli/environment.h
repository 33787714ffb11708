#pragma once
/// A command's access to the outside world: two streams, and a flag that asks it to stop.

#include <functional>
#include <string_view>

#include "rezero/analysis/sweep.h"

namespace rezero::cli {

struct Environment {
  std::function<void(std::string_view)> out;  ///< throws IoError if writing fails
  std::function<void(std::string_view)> err;  ///< never throws
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  /// Width of the terminal behind `err`, now; it may change during a run.
  std::function<Index()> columns_of_err = [] { return Index{80}; };
  const StopFlag* stop = nullptr;
  /// Sets the line that goes to `err` if a signal ends the process, however suddenly; may be empty.
  std::function<void(std::string_view)> last_words = {};
};

enum ExitCode : int {
  exit_ok = 0,
  exit_verdict_fails = 1,
  exit_usage = 2,
  exit_file = 3,
  exit_cell_failed = 4,
  exit_memory = 5,
};

/// Prints and succeeds.
inline int print(const Environment& env, std::string_view text) {
  env.out(text);
  return exit_ok;
}

}  // namespace rezero::cli
