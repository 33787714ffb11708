#pragma once
/// Running a plan: cells, their order, their reduction.

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "rezero/analysis/result.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// One stack (a scheme, width, activation, init and seed) at the depths that one pass can give: all of them
/// if the scheme ignores the total depth, else one.
struct Cell {
  std::size_t index = 0;
  CellLabels labels;
  std::optional<StackSpec> spec;  ///< nothing for --stack
  StackPtr stack;                 ///< for --stack
  std::vector<Index> depths;
};

std::vector<Cell> expand_cells(const SweepPlan& plan);

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

/// A pure function of the cell and the options. Numerical trouble becomes a CellFailure; Cancelled passes
/// through.
CellResult run_cell(const Cell& cell, const AnalysisOptions& options, const RunOptions& run);

struct SweepSummary {
  std::vector<SummaryRow> rows;
  Index failures = 0;
};

/// Runs all cells; `sink` gets each result once, in cell order, as soon as it and all before it are known,
/// never from two threads at once. An exception of the sink stops the sweep. Cells that fail do not stop the
/// others.
SweepSummary run_sweep(const SweepPlan& plan, const std::vector<Cell>& cells, const RunOptions& run,
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
      0;                 ///< the largest cell: 6 n² doubles or the bases of products, weights, states, 20 MB
  Real bytes = 0;        ///< with that many workers
  Real extra_bytes = 0;  ///< more, where there is room
  Real flops = 0;        ///< Jacobians, profiles and spectra
};
CostEstimate estimate_cost(const SweepPlan& plan, const std::vector<Cell>& cells, int threads,
                           Real max_memory = std::numeric_limits<Real>::infinity());

}  // namespace rezero
