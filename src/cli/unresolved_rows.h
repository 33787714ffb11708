#pragma once
/// Rows whose smallest singular values `auto` or a dense method did not resolve.

#include <optional>
#include <string>

#include "rezero/analysis/estimate.h"
#include "rezero/analysis/result.h"

namespace rezero::cli {

class UnresolvedRows {
 public:
  /// Both must outlive this.
  UnresolvedRows(const SweepPlan& plan, const CellList& cells);

  void add(const CellResult& row);
  /// How many there are, and what the product method would take for them; nothing if there are none, or if
  /// the plan does not leave room for it. Measures the speed of this machine.
  std::optional<std::string> notice(const Spread& spread) const;

 private:
  void add_cost(const CellResult& row, Index depth);

  const SweepPlan& plan_;
  const CellList& cells_;
  AnalysisOptions by_product_;
  std::size_t rows_ = 0, all_ = 0;
  CostEstimate cost_;  ///< of the first such rows
};

}  // namespace rezero::cli
