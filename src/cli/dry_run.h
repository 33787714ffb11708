#pragma once
/// What a plan will take, before it runs.

#include "cli/environment.h"
#include "rezero/analysis/estimate.h"

namespace rezero::cli {

/// Prints cells, memory, routes and a rough time (--dry-run). Returns the exit code; MemoryError as below.
int dry_run(const SweepPlan& plan, const CellList& cells, int threads, const Environment& env);

/// MemoryError if not even one cell fits.
void require_memory(const SweepPlan& plan, const CostEstimate& cost, Real limit);

}  // namespace rezero::cli
