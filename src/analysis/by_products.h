#pragma once
/// A cell whose J is never formed: spectra from the products of its blocks' derivatives.

#include <functional>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// Calls `visit` with the result at each depth of the cell, for the method that the options name (`auto`:
/// spectra). Of the metrics those that need more than the method gives are null, ‖J‖_F among it. Throws as
/// forward_jacobian does.
void run_by_products(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                     const CellContext& context, const std::function<void(DepthResult)>& visit);

}  // namespace rezero::detail
