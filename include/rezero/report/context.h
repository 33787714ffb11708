#pragma once
/// The context of results in a report: the tool, the plan, the run.

#include <cstdint>
#include <string>

#include "rezero/analysis/plan.h"

namespace rezero {

/// The program and how it was built: `tool` in reports.
struct ToolInfo {
  std::string name = "rezero-analyze";
  std::string version, git, compiler, flags, eigen, spectra, blas;
};

/// Everything that may differ between two runs of one plan: `run` in reports.
struct RunInfo {
  std::string started_at_utc;  ///< 2026-01-31T12:00:00Z
  double wall_seconds = 0;
  int threads = 1;
  std::string host;
  std::uint64_t peak_bytes = 0;
};

enum class ReportKind {
  report,   ///< spectra and metrics
  verdict,  ///< checks that pass or fail
};

/// Known before the first result. `plan` must outlive the renderer.
struct ReportContext {
  ToolInfo tool;
  const SweepPlan* plan = nullptr;
  std::string plan_json;  ///< the resolved plan as one JSON object (config's plan_json)
};

}  // namespace rezero
