#pragma once
/// Checks of stacks with blocks that change the shape: claims about J = I apply to the runs of blocks between
/// them.

#include <functional>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// Whether a block of the cell's stack changes the shape of the state.
bool changes_shape(const Cell& cell);

/// Checks each maximal run of blocks of one shape as a separate stack, from the state that reaches it. A
/// check passes if it passes on every run. Blocks that change the shape are evaluated but not checked;
/// messages name them. `visit` receives each depth as soon as it is known.
void check_runs(const Cell& cell, const AnalysisOptions& options,
                const std::function<CellResult(const Cell&)>& check, const PartVisitor& visit);

}  // namespace rezero::detail
