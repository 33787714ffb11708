#pragma once
/// Where a report goes: a file that appears whole or not at all, or that grows line by line; standard output
/// at once, or at the end.

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
  /// Makes it final; without it a file stays as it was, and a held-back document is never shown.
  virtual void commit() = 0;
};

/// To `path`, or to standard output if there is none. A document on standard output is held back until its
/// end, so that an interrupted run shows nothing; lines go out whole.
std::unique_ptr<Sink> open_sink(const std::optional<std::string>& path, const RendererKind& format,
                                const Environment& env);

}  // namespace rezero::cli
