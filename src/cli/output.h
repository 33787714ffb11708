#pragma once
/// The destination of a report: a file that is written completely or not at all, or one that grows line by
/// line; standard output at once, or at the end.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/environment.h"
#include "rezero/report/renderer.h"

namespace rezero::cli {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void append(std::string_view text) = 0;
  /// Makes the output final. Without it, a file is unchanged and a held-back document is never shown.
  virtual void commit() = 0;
};

/// Writes to `path`, or to standard output if absent. A document on standard output is held back until its
/// end, so that an interrupted run shows nothing; lines are written whole.
std::unique_ptr<Sink> open_sink(const std::optional<std::string>& path, const RendererKind& format,
                                const Environment& env);

}  // namespace rezero::cli
