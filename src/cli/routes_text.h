#pragma once
/// What --dry-run says about the routes of the cells.

#include <string>

#include "rezero/analysis/cell.h"

namespace rezero::cli {

/// ` (and up to 3.6 kB more where there is room)`; empty for 0.
std::string extra_text(Real bytes);

/// A line per distinct route: `method   spectra by products, n = 32768, 1.2 GB, 900 GFLOP each: 1 cell`. If
/// there are more than a screen holds, a line per method, with the ranges of its numbers. `limit`: bytes that
/// a cell may use.
std::string routes_text(const SweepPlan& plan, const CellList& cells, Real limit);

}  // namespace rezero::cli
