#pragma once
/// Running a plan: its cells, in order, and their reduction.

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "rezero/analysis/cell.h"
#include "rezero/analysis/result.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// Set from outside (a signal handler, a sink that cannot write) to stop between blocks.
using StopFlag = std::atomic<bool>;

struct RunOptions {
  int threads = 1;
  Real max_memory = std::numeric_limits<Real>::infinity();  ///< bytes that the run may take: decides J's form
  int cells_at_once = 1;  ///< that share max_memory for what is kept to save time
  const StopFlag* stop = nullptr;
  std::function<void(Index done_blocks, Index all_blocks)>
      progress;  ///< called now and then, from any thread, serially
};

/// Gets the result of a cell part by part: each depth as soon as it is known, ascending. May throw Cancelled.
using PartVisitor = std::function<void(CellResult part)>;

/// A pure function of the cell and the options. Numerical trouble becomes a CellFailure; Cancelled passes
/// through.
void run_cell(const Cell& cell, const AnalysisOptions& options, const RunOptions& run,
              const PartVisitor& visit);
/// The same, all depths at once.
CellResult run_cell(const Cell& cell, const AnalysisOptions& options, const RunOptions& run);

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

/// The form in which J is had. `map`, never formed: for `--method density`; for `spectra` with --top alone,
/// and with
/// --bottom where J does not fit into max_memory; for `auto` with --top or --bottom where J does not fit or,
/// with
/// --top alone, products are cheaper by estimate (never below n = 1024). Else, and for profiles and checks,
/// `dense`.
JacobianForm spectrum_form(const Cell& cell, const AnalysisOptions& options, Real max_memory);

/// What one cell would take on one thread.
struct CellCost {
  JacobianForm form = JacobianForm::dense;
  std::string method;    ///< that its spectra start with; empty: none is computed
  Real bytes = 0;        ///< that it cannot do without
  Real extra_bytes = 0;  ///< that it takes where there is room: kept derivatives, the product method
  Real flops = 0;
};
CellCost cost_of(const Cell& cell, const AnalysisOptions& options, Real max_memory);

/// One level of parallelism: many cells go side by side, one thread each; fewer cells than threads go one
/// after the other, each on all threads.
struct Spread {
  int cells_at_once, threads_each;
};
Spread spread_of(std::size_t cells, int threads);

/// What a plan would take, before anything is allocated.
struct CostEstimate {
  std::size_t cells = 0, rows = 0;
  Real bytes_per_worker =
      0;  ///< the largest cell: 6 n² doubles or the bases of products, weights, states, 20 MB
  Real shared_bytes = 0;  ///< whatever the workers: a loaded stack, and what is kept of every row
  Real bytes = 0;         ///< with that many workers; at least what reading the stack file took
  Real extra_bytes = 0;   ///< more, where there is room
  Real flops = 0;         ///< Jacobians, profiles and spectra
};
CostEstimate estimate_cost(const SweepPlan& plan, const CellList& cells, int threads,
                           Real max_memory = std::numeric_limits<Real>::infinity());

}  // namespace rezero
