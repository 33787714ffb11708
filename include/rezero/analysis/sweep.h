#pragma once
/// Running a plan: its cells, in order, and their reduction.

#include <functional>
#include <limits>
#include <vector>

#include "rezero/analysis/estimate.h"
#include "rezero/analysis/run_cell.h"

namespace rezero {

struct SweepProgress {
  Real share = 0;  ///< of the estimated work, ascending; exactly 1 once every cell has ended
  std::size_t cells_done = 0, cells = 0;
};

/// The resources of a run. Results do not depend on them: how cells are computed is already decided
/// (route.h).
struct RunOptions {
  int threads = 1;
  Real memory = std::numeric_limits<Real>::infinity();  ///< in bytes; limits how many cells run side by side
  const StopFlag* stop = nullptr;
  /// Called after every block, spectrum and cell, from any thread, one call at a time.
  std::function<void(const SweepProgress&)> progress;
};

struct SweepSummary {
  std::vector<SummaryRow> rows;
  Index failures = 0;
};

/// Runs all cells. `sink` receives one row at a time, a CellResult of a single depth (its result, its
/// failure, or both if a spectrum broke down), in the order of cells and depths, as soon as it and all rows
/// before it are known; never from two threads at once. An exception of the sink stops the sweep and is
/// rethrown. A cell that fails does not stop the others.
SweepSummary run_sweep(const SweepPlan& plan, const CellList& cells, const RunOptions& run,
                       const std::function<void(const CellResult&)>& sink);

}  // namespace rezero
