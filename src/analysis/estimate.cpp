#include <algorithm>

#include "rezero/analysis/sweep.h"

namespace rezero {
namespace {

constexpr Real fixed_bytes = 20e6;   // stack, tables, buffers of one worker
constexpr Real square_matrices = 6;  // n × n doubles at the peak: J, its successor, the spectrum's copies
constexpr Real spectrum_flops =
    8.0 / 3 + 2 + 2.0 / 3;  // · n³: bidiagonalization, and the certificate's JᵀJ and LU

constexpr Real state_overhead = 64;  // allocation and exponent of a kept state
constexpr Real facts_bytes = 1500;   // what a check keeps of a block: culprits with their texts, twice

struct Size {
  Real n, weights, flops_per_column;
};

/// Of one layer's derivative on one column: every weight at every position, and attention's products of
/// positions. Of a net with stages, those of the first: where channels double as pixels quarter, none has
/// more.
Real layer_flops(const StackSpec& spec) {
  const auto positions = static_cast<Real>(spec.shape().positions);
  Real flops = 0;
  for (const BranchKind* kind : spec.family->branches()) {
    for (const WeightSlot& slot : kind->slots(spec.sizes()))
      flops += 2 * static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols()) * positions;
    if (kind->is_attention) flops += 8 * static_cast<Real>(spec.width) * positions * positions;
  }
  return flops;
}

Size size_of(const Cell& cell) {
  if (cell.spec) {
    return {static_cast<Real>(cell.spec->shape().size()), block_weight_bytes(*cell.spec),
            layer_flops(*cell.spec)};
  }
  const auto n = static_cast<Real>(cell.stack->shape().size());
  return {
      n, 0,
      4 * n * n};  // a loaded stack's weights are in memory already; the estimate takes two square matrices
}

Real cell_bytes(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  Real bytes = square_matrices * size.n * size.n * sizeof(Real) + size.weights + fixed_bytes;
  const Real per_layer = cell.spec ? static_cast<Real>(cell.spec->family->blocks.size()) : 1;
  const Real depth = static_cast<Real>(cell.depths.back()) * per_layer;  // in blocks
  if (options.profile || !options.checks.empty()) bytes += depth * (size.n * sizeof(Real) + state_overhead);
  if (!options.checks.empty()) bytes += depth * facts_bytes;
  return bytes;
}

Real cell_flops(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  const Real block = size.n * size.flops_per_column;
  Real flops = static_cast<Real>(cell.depths.back()) * block;
  for (Index depth : cell.depths) {
    if (options.spectrum) flops += spectrum_flops * size.n * size.n * size.n;
    if (options.profile) flops += static_cast<Real>(depth) * block;
  }
  return flops;
}

}  // namespace

CostEstimate estimate_cost(const SweepPlan& plan, const std::vector<Cell>& cells, int threads) {
  CostEstimate cost;
  cost.cells = cells.size();
  for (const Cell& cell : cells) {
    cost.rows += cell.depths.size();
    cost.bytes_per_worker = std::max(cost.bytes_per_worker, cell_bytes(cell, plan.analysis));
    cost.flops += cell_flops(cell, plan.analysis);
  }
  const bool side_by_side = static_cast<int>(cells.size()) >= threads;
  cost.bytes = cost.bytes_per_worker * (side_by_side ? threads : 1);
  return cost;
}

}  // namespace rezero
