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

/// What a cell is given to run with. No number depends on it.
struct CellContext {
  int threads = 1;
  Real memory = std::numeric_limits<Real>::infinity();  ///< bytes: what its route leaves of them saves time
  const StopFlag* stop = nullptr;
  std::function<void()> on_block = {};  ///< called once a block, from any thread

  void checkpoint() const;  ///< throws Cancelled once the flag is set
};

/// Gets the result of a cell part by part: each depth as soon as it is known, ascending. May throw Cancelled.
using PartVisitor = std::function<void(CellResult part)>;

/// A pure function of the cell and the options that it was made with. Numerical trouble becomes a
/// CellFailure; Cancelled passes through.
void run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
              const PartVisitor& visit);
/// The same, all depths at once.
CellResult run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context = {});
/// One stack at some depths, which count its layers.
CellResult run_stack(const StackPtr& stack, const std::vector<Index>& depths,
                     const AnalysisOptions& options = {}, const CellContext& context = {});

}  // namespace rezero
