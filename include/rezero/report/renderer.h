#pragma once
/// The formats of a report. A renderer receives results one by one, in cell order, and writes text
/// immediately.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/analysis/sweep.h"
#include "rezero/core/registry.h"
#include "rezero/report/context.h"

namespace rezero {

/// Destination of text. Called with pieces of any size; exceptions pass through the renderer.
using Output = std::function<void(std::string_view)>;

/// begin, then cell for each row (or each cell with all its rows) in plan order, then end. Each call passes
/// its text to the output before it returns.
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

/// Whether text written before end() is useful to a reader.
enum class Emission {
  lines,     ///< every line is complete by itself and may be shown as soon as it is written
  document,  ///< one document, invalid before end()
};

struct RendererKind : Entry {
  std::vector<std::string_view> extensions;  ///< file name extensions of this format, including the dot
  Emission emission = Emission::document;
  std::unique_ptr<Renderer> (*report)(Output) = nullptr;
  std::unique_ptr<Renderer> (*verdict)(Output) = nullptr;  ///< nullptr: this format has no verdicts
  /// Finished rows are kept if a run is interrupted; the last line shows whether it was.
  bool keeps_rows = false;
};

/// json, ndjson, csv, table.
const Registry<RendererKind>& renderers();

/// The formats available for a kind of report: `json, ndjson or table`.
std::string format_names(ReportKind kind);

/// The renderer with that name. UsageError for an unknown name, or for a verdict in a format without
/// verdicts.
std::unique_ptr<Renderer> make_renderer(std::string_view name, ReportKind kind, Output output);

}  // namespace rezero
