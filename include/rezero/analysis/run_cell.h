#pragma once
/// Running one cell.

#include <atomic>
#include <functional>
#include <limits>

#include "rezero/analysis/cell.h"
#include "rezero/analysis/result.h"

namespace rezero {

/// Set from outside (a signal handler, a sink that cannot write) to stop between blocks.
using StopFlag = std::atomic<bool>;

/// The resources of a running cell. Results do not depend on them.
struct CellContext {
  int threads = 1;
  /// in bytes; what the route does not need is used to save time
  Real memory = std::numeric_limits<Real>::infinity();
  const StopFlag* stop = nullptr;
  /// Called after every block and every depth with its work (step_work), from any thread, one call at a
  /// time.
  std::function<void(Real work)> on_step = {};

  void checkpoint() const;  ///< throws Cancelled once the flag is set
};

/// Receives the result of a cell in parts: each depth as soon as it is known, ascending. May throw Cancelled.
using PartVisitor = std::function<void(CellResult part)>;

/// A pure function of the cell and the options with which it was made. Numerical trouble becomes a
/// CellFailure; Cancelled passes through.
void run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
              const PartVisitor& visit);
/// The same, all depths at once.
CellResult run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context = {});
/// One stack at some depths, in layers.
CellResult run_stack(const StackPtr& stack, const std::vector<Index>& depths,
                     const AnalysisOptions& options = {}, const CellContext& context = {});

}  // namespace rezero
