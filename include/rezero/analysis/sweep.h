#pragma once
/// Running a plan: its cells, in order, and their reduction.

#include <functional>
#include <limits>
#include <vector>

#include "rezero/analysis/estimate.h"
#include "rezero/analysis/run_cell.h"

namespace rezero {

/// What a run may use. No number depends on it: how cells are computed is decided before (route.h).
struct RunOptions {
  int threads = 1;
  Real memory = std::numeric_limits<Real>::infinity();  ///< bytes: how many cells go side by side
  const StopFlag* stop = nullptr;
  /// Called now and then, from any thread, serially.
  std::function<void(Index done_blocks, Index all_blocks)> progress;
};

struct SweepSummary {
  std::vector<SummaryRow> rows;
  Index failures = 0;
};

/// Runs all cells. `sink` gets one row at a time, a CellResult of a single depth (its result, its failure, or
/// both where a spectrum broke down), in the order of cells and depths, as soon as it and all rows before it
/// are known; never from two threads at once. An exception of the sink stops the sweep and comes out. Cells
/// that fail do not stop the others.
SweepSummary run_sweep(const SweepPlan& plan, const CellList& cells, const RunOptions& run,
                       const std::function<void(const CellResult&)>& sink);

}  // namespace rezero
