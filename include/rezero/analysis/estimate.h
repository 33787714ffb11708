#pragma once
/// What a plan would take, before anything is allocated, and how its cells share threads and memory.

#include "rezero/analysis/cell.h"

namespace rezero {

struct CostEstimate {
  std::size_t cells = 0, rows = 0;
  Real bytes_per_cell = 0;  ///< of the largest: 6 n² doubles or the bases of products, weights, states, 20 MB
  Real extra_per_cell = 0;  ///< derivatives that a cell keeps to save time where there is room
  Real shared_bytes = 0;    ///< however many cells are at work: a loaded stack, and what is kept of every row
  Real reading_bytes = 0;   ///< that reading the stack file took at most
  Real flops = 0;           ///< Jacobians, profiles and spectra

  /// With that many cells at work.
  Real bytes(int cells_at_once) const;
  /// What they take beyond that where `memory` leaves room.
  Real extra_bytes(int cells_at_once, Real memory) const;
};
CostEstimate estimate_cost(const SweepPlan& plan, const CellList& cells);

/// One level of parallelism: many cells go side by side, one thread each, as many as fit into the memory;
/// fewer cells than threads go one after the other, each on all threads.
struct Spread {
  int cells_at_once, threads_each;
  int threads() const { return cells_at_once * threads_each; }
};
Spread spread_of(const CostEstimate& cost, int threads, Real memory);

}  // namespace rezero
