#include "cli/unresolved_rows.h"

#include <algorithm>

#include "cli/limits.h"

namespace rezero::cli {
namespace {

constexpr std::size_t most_examined = 1000;  // rows whose cost is looked up; the others are taken to be alike

}  // namespace

UnresolvedRows::UnresolvedRows(const SweepPlan& plan, const CellList& cells)
    : plan_(plan), cells_(cells), by_product_(plan.analysis) {
  by_product_.method = "product";
}

void UnresolvedRows::add(const CellResult& row) {
  all_ += row.depths.size() + row.failures.size();
  for (const DepthResult& depth : row.depths) {
    const Spectrum& spectrum = depth.spectrum;
    const bool counts = spectrum.status == SpectrumStatus::converged && spectrum.part == SpectrumPart::full &&
                        spectrum.provenance.method != "product" && spectrum.unresolved() > 0;
    if (!counts) continue;
    ++rows_;
    if (rows_ <= most_examined) add_cost(row, depth.depth);
  }
}

void UnresolvedRows::add_cost(const CellResult& row, Index depth) {
  const Cell cell = cells_[row.cell];
  const std::vector<Index> only = {depth};
  const StepWork steps =
      step_work(route_of(*cell.geometry, only, by_product_), *cell.geometry, only, by_product_);
  cost_.effort += steps.depth.front();
  cost_.alone += std::min(steps.alone, steps.depth.front());
}

std::optional<std::string> UnresolvedRows::notice(const Spread& spread) const {
  const bool possible = plan_.analysis.top + plan_.analysis.bottom == 0 && plan_.analysis.method != "product";
  if (rows_ == 0 || !possible) return {};
  const Real share = static_cast<Real>(std::min(rows_, most_examined)) / static_cast<Real>(rows_);
  const Real seconds = duration(cost_, spread) / measure_flop_rate() / share;
  return std::to_string(rows_) + " of " + std::to_string(all_) + (all_ == 1 ? " row has" : " rows have") +
         " singular values below the resolution of a formed J; --method product may "
         "resolve them (about " +
         seconds_text(seconds) + ")";
}

}  // namespace rezero::cli
