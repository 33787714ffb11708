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

/// The cells of a plan, in the order scheme, width, activation, init, seed, depth, the last fastest. Each is
/// made when it is asked for, so that a million seeds cost no more than their numbers. The plan must outlive
/// the list.
class CellList {
 public:
  explicit CellList(const SweepPlan& plan);
  explicit CellList(const SweepPlan&&) = delete;

  std::size_t size() const { return kinds_ * seeds_; }
  std::size_t rows() const { return rows_; }  ///< one for each depth of each cell
  Cell operator[](std::size_t i) const;

  /// Cells that differ only in their seed are of one kind: they take equal memory and work.
  std::size_t kinds() const { return kinds_; }
  std::size_t cells_per_kind() const { return seeds_; }
  Cell first_of_kind(std::size_t k) const;

 private:
  /// What one scheme adds to the list.
  struct Part {
    std::vector<Initializer> initializers;
    std::size_t first_kind = 0;
    std::size_t stacks_per_seed = 1;  ///< 1: one pass gives all depths; else a stack for each depth
  };
  std::size_t part_of(std::size_t kind) const;

  const SweepPlan* plan_;
  std::vector<Part> parts_;  ///< by scheme
  std::size_t seeds_ = 1, kinds_ = 1, rows_ = 0;
};

CellList expand_cells(const SweepPlan& plan);
CellList expand_cells(const SweepPlan&&) = delete;

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
