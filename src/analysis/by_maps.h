#pragma once
/// A cell that passes through its stack once without tangents, and takes J at each depth from the derivatives
/// of the blocks: as products alone, or formed by rows.

#include <functional>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// Calls `on_block` for each block of the pass, and `visit` with the result at each depth of the cell. If the
/// route forms no J, metrics that need more than the method gives are null, including ‖J‖_F. Throws like
/// forward_jacobian.
void run_by_maps(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                 const CellContext& context, const std::function<void()>& on_block,
                 const std::function<void(DepthResult)>& visit);

}  // namespace rezero::detail
