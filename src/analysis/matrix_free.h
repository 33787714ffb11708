#pragma once
/// A cell whose J is never formed: spectra from products with the derivatives of its blocks.

#include <functional>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// Calls `on_block` for each block of the pass, and `visit` with the result at each depth of the cell.
/// Metrics that need more than the method gives are null, including ‖J‖_F. Throws like forward_jacobian.
void run_matrix_free(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                     const CellContext& context, const std::function<void()>& on_block,
                     const std::function<void(DepthResult)>& visit);

}  // namespace rezero::detail
