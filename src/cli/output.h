#pragma once
/// Where a document goes: a file that appears whole or not at all, standard output at once, or at the end.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/environment.h"

namespace rezero::cli {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void append(std::string_view text) = 0;
  /// Makes it final; without it a file stays as it was, and a held-back document is never shown.
  virtual void commit() = 0;
};

/// To `path`, or to standard output if there is none. `held_back`: nothing of it is of use before its end, so
/// an interrupted run shows nothing.
std::unique_ptr<Sink> open_sink(const std::optional<std::string>& path, bool held_back,
                                const Environment& env);

}  // namespace rezero::cli
