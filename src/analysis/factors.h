#pragma once
/// The factors of the J that a report sees: what `--method product` works with.

#include <memory>

#include "rezero/analysis/run_cell.h"

namespace rezero::detail {

/// J after `blocks` blocks as the product of the blocks' derivatives and of what the options put around them:
/// columns of one position first, the final norm and rows of one position last. Nothing is computed before a
/// factor is asked for; then one pass of x0 through the blocks, as BlockMaps, with as many derivatives kept
/// as memory allows beside J. None where the memory is only enough for J. `at` may throw Cancelled.
FactorSource factors_of(const StackPtr& stack, Index blocks, std::size_t depth, const Cell& cell,
                        const AnalysisOptions& options, const CellContext& context);

}  // namespace rezero::detail
