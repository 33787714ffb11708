#include "rezero/analysis/sweep.h"

#include <map>
#include <mutex>

#include "rezero/analysis/aggregate.h"
#include "rezero/core/error.h"
#include "rezero/parallel/for_each.h"

namespace rezero {
namespace {

/// Lets results out in cell order, each as soon as all before it are out. After an exception of the sink
/// nothing more is let out: other threads may still be finishing their cells.
class ReorderBuffer {
 public:
  explicit ReorderBuffer(std::function<void(const CellResult&)> sink) : sink_(std::move(sink)) {}

  void put(CellResult result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(result.cell, std::move(result));
    for (auto next = waiting_.find(next_); next != waiting_.end(); next = waiting_.find(next_)) {
      ++next_;
      const CellResult now = std::move(next->second);
      waiting_.erase(next);
      let_out(now);
    }
  }

 private:
  void let_out(const CellResult& result) {
    if (closed_) return;
    closed_ = true;  // stays so if the sink throws
    sink_(result);
    closed_ = false;
  }

  std::mutex mutex_;
  std::function<void(const CellResult&)> sink_;
  std::map<std::size_t, CellResult> waiting_;
  std::size_t next_ = 0;
  bool closed_ = false;
};

/// Makes the caller's progress function serial, and counts.
class Progress {
 public:
  Progress(const std::function<void(Index, Index)>& report, Index all) : report_(report), all_(all) {}
  void step() {
    const std::lock_guard<std::mutex> lock(mutex_);
    report_(++done_, all_);
  }

 private:
  std::mutex mutex_;
  const std::function<void(Index, Index)>& report_;
  Index done_ = 0, all_;
};

Index all_blocks(const std::vector<Cell>& cells) {
  Index sum = 0;
  for (const Cell& cell : cells) sum += cell.depths.back();
  return sum;
}

}  // namespace

Spread spread_of(std::size_t cells, int threads) {
  return static_cast<int>(cells) >= threads ? Spread{threads, 1} : Spread{1, threads};
}

SweepSummary run_sweep(const SweepPlan& plan, const std::vector<Cell>& cells, const RunOptions& run,
                       const std::function<void(const CellResult&)>& sink) {
  Aggregator aggregator;
  SweepSummary summary;
  ReorderBuffer ordered([&](const CellResult& result) {
    aggregator.add(result);
    summary.failures += static_cast<Index>(result.failures.size());
    sink(result);
  });
  const Spread spread = spread_of(cells.size(), run.threads);
  Progress progress(run.progress, all_blocks(cells));
  RunOptions inner = run;
  inner.threads = spread.threads_each;
  inner.cells_at_once = spread.cells_at_once;
  if (run.progress) inner.progress = [&progress](Index, Index) { progress.step(); };
  for_each_index(static_cast<Index>(cells.size()), spread.cells_at_once, [&](Index i) {
    ordered.put(run_cell(cells[static_cast<std::size_t>(i)], plan.analysis, inner));
  });
  summary.rows = aggregator.rows();
  return summary;
}

}  // namespace rezero
