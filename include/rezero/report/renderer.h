#pragma once
/// Formats of a report. A renderer gets results one by one, in cell order, and writes text as it goes.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/analysis/sweep.h"
#include "rezero/core/registry.h"
#include "rezero/report/context.h"

namespace rezero {

/// Where text goes. Called with pieces of any size; an exception it throws passes through the renderer.
using Output = std::function<void(std::string_view)>;

/// begin, then cell for each row (or each cell with all its rows) in plan order, then end: each call leaves
/// its text handed to the output.
class Renderer {
 public:
  Renderer() = default;
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  virtual ~Renderer() = default;

  virtual void begin(const ReportContext& context) = 0;
  virtual void cell(const CellResult& result) = 0;
  virtual void end(const SweepSummary& summary, const RunInfo& run) = 0;
};

/// Whether what was written before end() is of use to a reader.
enum class Emission {
  lines,     ///< every line stands for itself: may be shown as soon as it is written
  document,  ///< one document: nothing of it is valid before end()
};

struct RendererKind : Entry {
  std::vector<std::string_view> extensions;  ///< of files in this format, with the dot
  Emission emission = Emission::document;
  std::unique_ptr<Renderer> (*report)(Output) = nullptr;
  std::unique_ptr<Renderer> (*verdict)(Output) = nullptr;  ///< nullptr: no verdicts in this format
  /// Rows that were finished are kept when a run is interrupted: the last line tells whether it was.
  bool keeps_rows = false;
};

/// json, ndjson, csv, table.
const Registry<RendererKind>& renderers();

/// The formats that a kind of report can be written in: `json, ndjson or table`.
std::string format_names(ReportKind kind);

/// The renderer of that name. UsageError for an unknown name, or a format that has no verdicts when one is
/// asked for.
std::unique_ptr<Renderer> make_renderer(std::string_view name, ReportKind kind, Output output);

}  // namespace rezero
