#pragma once
/// What a cell takes, and so which way it goes.

#include "rezero/analysis/sweep.h"

namespace rezero::detail {

/// How many blocks' derivatives fit into `bytes` beside what the method needs by products; all at most.
Index kept_blocks(const Cell& cell, const AnalysisOptions& options, Real bytes);

}  // namespace rezero::detail
