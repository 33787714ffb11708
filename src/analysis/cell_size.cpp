#include "analysis/cell_size.h"

#include <algorithm>

namespace rezero::detail {
namespace {

// Copies of a block's weights while it is at work, measured with wide branches: 2.0 to 2.6; of convolutions,
// packed both ways, 6.7 to 6.9.
constexpr Real weight_copies = 3, conv_weight_copies = 7;

/// Of one layer's derivative on one column: every weight at every position, and attention's products of
/// positions. l: the layer, where they differ.
Real layer_flops(const StackSpec& spec, Index l) {
  const auto positions = static_cast<Real>(
      spec.family->is_conv() ? shape_after(spec.conv, spec.width, l + 1).positions : spec.shape().positions);
  Real flops = 0;
  for (const BranchKind* kind : spec.family->branches()) {
    for (const WeightSlot& slot : kind->slots(spec.sizes(l)))
      flops += 2 * static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols()) * positions;
    if (kind->is_attention) flops += 8 * static_cast<Real>(spec.width) * positions * positions;
  }
  return flops;
}

/// Runs of equal layers up to the depth: the last layer of each, and how many there are.
struct Run {
  Index last, count;
};
std::vector<Run> runs_of(const StackSpec& spec, Index depth) {
  if (!spec.conv.staged()) return {{0, depth}};
  std::vector<Run> runs;
  Index end = 0;
  for (const Index stage : spec.conv.stages) {
    if (end >= depth) break;
    const Index count = std::min(stage, depth - end);
    end += count;
    runs.push_back({end - 1, count});
  }
  return runs;
}

/// The mean over a layer's blocks: weights (attention's twice, as measured, and convolutions', which are
/// packed both ways), what its norm keeps and, for each of its inner layers, values and their slopes;
/// attention's weights of every pair of positions and head.
Real kept_derivative_bytes(const StackSpec& spec, Index depth, Index largest) {
  const auto positions = static_cast<Real>(spec.shape().positions);
  Real most = 0;
  for (const Run& run : runs_of(spec, depth)) {
    Real numbers = 0;
    for (const BranchKind* kind : spec.family->branches()) {
      numbers += 8 * static_cast<Real>(largest);
      for (const WeightSlot& slot : kind->slots(spec.sizes(run.last))) {
        const Real weights = static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols());
        numbers += 2 * positions * static_cast<Real>(slot.outputs) +
                   (kind->is_attention || kind->is_conv ? 2 : 1) * weights;
      }
      if (kind->is_attention)
        numbers += 2 * static_cast<Real>(spec.tokens.attention.heads) * positions * positions;
    }
    most = std::max(most, numbers);
  }
  return most * sizeof(Real) / static_cast<Real>(spec.family->blocks.size());
}

CellSize size_of(const StackSpec& spec, Index depth) {
  CellSize size;
  size.n = size.largest = spec.shape().size();
  size.blocks = depth * static_cast<Index>(spec.family->blocks.size());
  size.positions = spec.shape().positions;
  size.attention = spec.family->has_attention();
  size.weights = block_weight_bytes(spec);
  size.weights_at_work = size.weights * (spec.family->is_conv() ? conv_weight_copies : weight_copies);
  for (const Run& run : runs_of(spec, depth)) {
    size.flops_per_column +=
        layer_flops(spec, run.last) * static_cast<Real>(run.count) / static_cast<Real>(depth);
    if (spec.conv.staged())
      size.largest = std::max(size.largest, shape_after(spec.conv, spec.width, run.last + 1).size());
  }
  size.kept_derivative = kept_derivative_bytes(spec, depth, size.largest);
  return size;
}

}  // namespace

CellSize size_of(const Cell& cell) {
  if (cell.spec) return size_of(*cell.spec, cell.depths.back());
  // A loaded stack's weights are in memory already; its work is taken to be that of two square matrices.
  CellSize size;
  size.n = size.largest = cell.stack->shape().size();
  size.blocks = cell.depths.back();
  const auto n = static_cast<Real>(size.n);
  size.kept_derivative = 16 * n * sizeof(Real);
  size.flops_per_column = 4 * n * n;
  return size;
}

}  // namespace rezero::detail
