#pragma once
/// Checks of stacks whose blocks change the shape: claims about J = I are made of the runs of blocks between.

#include <functional>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// Whether a block of the cell's stack changes the shape of the state.
bool changes_shape(const Cell& cell);

/// Each maximal run of blocks of one shape is checked as a stack of its own, from the state that reaches it;
/// a check passes if it passes on every run. Blocks that change the shape are evaluated, and not checked: the
/// messages name them. `visit` gets each depth as soon as it is known.
void check_runs(const Cell& cell, const AnalysisOptions& options,
                const std::function<CellResult(const Cell&)>& check, const PartVisitor& visit);

}  // namespace rezero::detail
