#pragma once
/// The cost of a plan, before anything is allocated, and how its cells share threads and memory.

#include "rezero/analysis/cell.h"

namespace rezero {

struct CostEstimate {
  std::size_t cells = 0, rows = 0;
  /// the largest cell: 5 n² doubles or the bases of products, weights, states, 8 MB
  Real bytes_per_cell = 0;
  Real least_per_cell = 0;  ///< the same if `auto` does not turn to the factors
  Real extra_per_cell = 0;  ///< derivatives that a cell stores to save time, if there is room
  Real shared_bytes = 0;  ///< for any number of running cells: a loaded stack, and the part kept of every row
  Real reading_bytes = 0;  ///< peak memory of reading the stack file
  Real flops = 0;          ///< Jacobians, profiles and spectra
  /// The same, and everything else, in flops at the speed of products of large matrices; of these, what the
  /// threads of one cell cannot share. If `auto` computes every spectrum that it may from J's factors, that
  /// many more.
  Real effort = 0, alone = 0, more_effort = 0;
  Real steps = 0;  ///< of the effort, the sum of step_work, which progress counts

  /// With that many cells running.
  Real bytes(int cells_at_once) const;
  Real least_bytes(int cells_at_once) const;
  /// Additional memory that they use, if `memory` allows.
  Real extra_bytes(int cells_at_once, Real memory) const;
};
CostEstimate estimate_cost(const SweepPlan& plan, const CellList& cells);

/// One level of parallelism: many cells run side by side, one thread each, as many as fit into the memory;
/// fewer cells than threads run one after another, each on all threads.
struct Spread {
  int cells_at_once, threads_each;
  int threads() const { return cells_at_once * threads_each; }
};
Spread spread_of(const CostEstimate& cost, int threads, Real memory);

/// The time in flops of one thread at the speed of products of large matrices. Of twenty varied plans, the
/// estimate was within a factor of 2 (docs/performance.md).
Real duration(const CostEstimate& cost, const Spread& spread);

}  // namespace rezero
