#include "rezero/analysis/sweep.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "rezero/analysis/aggregate.h"
#include "rezero/core/error.h"
#include "rezero/parallel/for_each.h"

namespace rezero {
namespace {

/// Passes rows on in cell order: those of the first unfinished cell at once, those of later cells at their
/// turn. After an exception it passes nothing on, since other threads may still be running their cells.
class ReorderBuffer {
 public:
  explicit ReorderBuffer(std::function<void(const CellResult&)> sink) : sink_(std::move(sink)) {}

  void put(CellResult row) {
    guarded([&] {
      if (row.cell == next_)
        sink_(row);
      else
        waiting_[row.cell].rows.push_back(std::move(row));
    });
  }

  /// No more rows of this cell will come.
  void finish(std::size_t cell) {
    guarded([&] {
      waiting_[cell].finished = true;
      for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
        const Waiting now = std::move(first->second);
        waiting_.erase(first);
        for (const CellResult& row : now.rows) sink_(row);
        if (!now.finished) return;  // its next rows pass directly
        ++next_;
      }
    });
  }

  /// The exception that closed the buffer.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Waiting {
    std::vector<CellResult> rows;
    bool finished = false;
  };

  /// Cancelled stops a cell without marking it as failed.
  template <class F>
  void guarded(F&& f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_) throw Cancelled();
    try {
      f();
    } catch (...) {
      failure_ = std::current_exception();
      throw Cancelled();
    }
  }

  std::mutex mutex_;
  std::function<void(const CellResult&)> sink_;
  std::map<std::size_t, Waiting> waiting_;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
};

Real work_of(const Cell& cell, const AnalysisOptions& options) {
  return step_work(cell.route, *cell.geometry, cell.depths, options)
      .total(cell.depths.back() * cell.geometry->blocks_per_layer());
}

/// Adds up work, and calls the caller's function from one thread at a time.
class Progress {
 public:
  /// Without a function, nothing is added up.
  Progress(const std::function<void(const SweepProgress&)>& report, const AnalysisOptions& options,
           const CostEstimate& cost)
      : report_(report), options_(options), all_(cost.steps) {
    now_.cells = cost.cells;
  }

  /// Runs a cell. Its steps count up to its own work, and its end counts what they left: cells that fail, or
  /// do more or less than was expected of them, leave the sum as it should be.
  template <class Run>
  void count(const Cell& cell, CellContext context, const Run& run) {
    if (!report_) return run(context);
    Real left = work_of(cell, options_);
    context.on_step = [this, &left](Real work) {
      const Real counted = std::min(work, left);
      left -= counted;
      add(counted, 0);
    };
    run(context);
    add(left, 1);
  }

 private:
  void add(Real work, std::size_t cells) {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ += work, now_.cells_done += cells;
    const bool ended = now_.cells_done == now_.cells;
    now_.share = ended ? 1 : std::max(now_.share, std::min<Real>(done_ / all_, 1));
    report_(now_);
  }

  std::mutex mutex_;
  const std::function<void(const SweepProgress&)>& report_;
  const AnalysisOptions& options_;
  SweepProgress now_;
  Real done_ = 0, all_;
};

}  // namespace

SweepSummary run_sweep(const SweepPlan& plan, const CellList& cells, const RunOptions& run,
                       const std::function<void(const CellResult&)>& sink) {
  Aggregator aggregator;
  SweepSummary summary;
  ReorderBuffer ordered([&](const CellResult& row) {
    aggregator.add(row);
    summary.failures += static_cast<Index>(row.failures.size());
    sink(row);
  });
  const CostEstimate cost = estimate_cost(plan, cells);
  const Spread spread = spread_of(cost, run.threads, run.memory);
  Progress progress(run.progress, plan.analysis, cost);
  CellContext context;
  context.threads = spread.threads_each;
  context.memory = (run.memory - cost.shared_bytes) / spread.cells_at_once;
  context.stop = run.stop;
  const auto run_one = [&](Index i) {
    const Cell cell = cells[static_cast<std::size_t>(i)];
    progress.count(cell, context, [&](const CellContext& counted) {
      run_cell(cell, plan.analysis, counted, [&ordered](CellResult row) { ordered.put(std::move(row)); });
    });
    ordered.finish(cell.index);
  };
  try {
    with_team(run.threads,
              [&] { for_each_index(static_cast<Index>(cells.size()), spread.cells_at_once, run_one); });
  } catch (const Cancelled&) {
    ordered.rethrow();
    throw;
  }
  summary.rows = aggregator.rows();
  return summary;
}

}  // namespace rezero
