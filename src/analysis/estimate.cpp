#include "rezero/analysis/estimate.h"

#include <algorithm>
#include <cmath>

#include "rezero/analysis/recipe.h"

namespace rezero {
namespace {

// Memory of results until the end, measured: the text of a check, and the labels and text of a row of the
// summary.
constexpr Real check_text_bytes = 1000, summary_bytes = 10000;

/// Bytes of a stack given block by block.
Real stack_bytes(const Stack& stack) {
  Real bytes = 0;
  for (Index l = 0; l < stack.blocks(); ++l) {
    bytes += block_overhead_bytes;
    bytes += stack.block(l)->weight_count() * sizeof(Real);
  }
  return bytes;
}

/// Copies of weights, and what is found out about each tensor.
Real recipe_bytes(const Recipe& recipe) {
  constexpr Real finding_bytes = 2 * sizeof(TensorFinding) + 1000;  // and its names and texts
  Real tensors = 0;
  for (const FoundBlock& block : recipe.blocks)
    tensors += static_cast<Real>(block.weights.size() + block.biases.size());
  return copied_bytes(recipe) + finding_bytes * tensors;
}

/// Kept until the end: the metrics of every row, in vectors that may be half empty; for a verdict, the text
/// of its checks; for rows that differ in more than the seed, their labels and, at the end, their summary.
Real shared_bytes(const SweepPlan& plan, const CellList& cells) {
  const auto rows = static_cast<Real>(cells.rows());
  const Real of_row = 2 * static_cast<Real>(metrics().size() * sizeof(Real)) +
                      check_text_bytes * static_cast<Real>(plan.analysis.checks.size());
  const Real groups = rows / static_cast<Real>(cells.cells_per_kind());
  Real bytes = rows * of_row + groups * summary_bytes;
  if (!plan.stack) return bytes;
  const Vector* counted = nullptr;  // files may have the same samples
  for (const StackFile& file : plan.stack->files) {
    bytes += stack_bytes(*file.stack) + (file.recipe ? recipe_bytes(*file.recipe) : 0);
    const Vector* samples = file.samples ? file.samples->numbers.get() : nullptr;
    if (samples && samples != counted) bytes += static_cast<Real>(samples->size()) * sizeof(Real);
    counted = samples;
  }
  return bytes;
}

/// The QR of each block's weights, if its initializer makes one: about 4 w^(3/2) flops for w numbers at a
/// third of the speed of products, as measured.
Real effort_of_factored_weights(const CellKind& kind) {
  if (!kind.spec || !kind.spec->initializer.kind().factors_a_matrix) return 0;
  const Real numbers = kind.geometry.work(0).weights;
  return 3 * 4 * numbers * std::sqrt(numbers);
}

/// At the depths at which `auto` may turn to J's factors.
Real effort_of_factors(const CellKind& kind, AnalysisOptions options, const Route& route) {
  if (!route.uses_factors) return 0;
  options.method = "product";
  const StepWork steps =
      step_work(route_of(kind.geometry, kind.depths, options), kind.geometry, kind.depths, options);
  Real effort = 0;
  for (std::size_t i = 0; i < kind.depths.size(); ++i)
    if (!route.factors_missing(i)) effort += steps.depth[i];
  return effort;
}

}  // namespace

Real CostEstimate::bytes(int cells_at_once) const {
  return std::max(shared_bytes + bytes_per_cell * cells_at_once, reading_bytes);
}

Real CostEstimate::least_bytes(int cells_at_once) const {
  return std::max(shared_bytes + least_per_cell * cells_at_once, reading_bytes);
}

Real CostEstimate::extra_bytes(int cells_at_once, Real memory) const {
  return std::min(extra_per_cell * cells_at_once, std::max<Real>(memory - bytes(cells_at_once), 0));
}

CostEstimate estimate_cost(const SweepPlan& plan, const CellList& cells) {
  CostEstimate cost;
  cost.cells = cells.size();
  cost.rows = cells.rows();
  cells.for_each_kind([&](const CellKind& kind) {
    const Route route = route_of(kind.geometry, kind.depths, plan.analysis);
    const Real extra = static_cast<Real>(route.most_kept) * route.bytes_per_kept_block;
    cost.bytes_per_cell = std::max(cost.bytes_per_cell, route.bytes);
    cost.least_per_cell = std::max(cost.least_per_cell, route.least_bytes);
    cost.extra_per_cell = std::max(cost.extra_per_cell, extra);
    const auto count = static_cast<Real>(cells.cells_per_kind());
    const StepWork steps = step_work(route, kind.geometry, kind.depths, plan.analysis);
    cost.flops += route.flops * count;
    const Index blocks = kind.depths.back() * kind.geometry.blocks_per_layer();
    const Real in_steps = steps.total(blocks);
    cost.steps += in_steps * count;
    cost.effort += (in_steps + static_cast<Real>(blocks) * effort_of_factored_weights(kind)) * count;
    cost.alone += steps.alone * count;
    if (plan.analysis.method == "auto")
      cost.more_effort += effort_of_factors(kind, plan.analysis, route) * count;
  });
  cost.shared_bytes = shared_bytes(plan, cells);
  if (plan.stack) cost.reading_bytes = plan.stack->reading_bytes;
  return cost;
}

Spread spread_of(const CostEstimate& cost, int threads, Real memory) {
  if (cost.cells < static_cast<std::size_t>(threads)) return {1, threads};
  const Real fit = std::floor((memory - cost.shared_bytes) / cost.bytes_per_cell);
  return {static_cast<int>(std::clamp<Real>(fit, 1, threads)), 1};
}

Real duration(const CostEstimate& cost, const Spread& spread) {
  return (cost.alone + (cost.effort - cost.alone) / spread.threads_each) / spread.cells_at_once;
}

}  // namespace rezero
