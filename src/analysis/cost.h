#pragma once
/// What a cell takes, and so which way it goes.

#include "rezero/analysis/sweep.h"

namespace rezero::detail {

/// How many blocks' derivatives fit into `bytes` beside what the method needs by products; all at most.
Index kept_blocks(const Cell& cell, const AnalysisOptions& options, Real bytes);
/// Whether a product spectrum has room beside a formed J; `--method product` counts on it, `auto` asks.
bool room_for_factors(const Cell& cell, const AnalysisOptions& options, Real bytes);
/// What `auto` may spend on a product spectrum after `depth` layers: its work over that of the dense one.
/// Accuracy is worth four times the work, and any work that is over at once.
struct FactorWork {
  Real over_dense = 0;
  bool allowed = false;
};
FactorWork factor_work(const Cell& cell, Index depth);
/// The same as kept_blocks beside a formed J and a product spectrum of it.
Index kept_factors(const Cell& cell, const AnalysisOptions& options, Real bytes);

}  // namespace rezero::detail
