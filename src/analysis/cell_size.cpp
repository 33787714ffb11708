#include "analysis/cell_size.h"

#include <algorithm>

namespace rezero::detail {

CellSize size_of(const Geometry& geometry, Index depth) {
  const Index per_layer = geometry.blocks_per_layer();
  CellSize size;
  size.n = size.largest = geometry.shape().size();
  size.blocks = depth * per_layer;
  Real kept = 0;
  for (const LayerRun& run : geometry.runs(depth)) {
    const LayerWork work = geometry.work(run.last());
    size.flops_per_column += work.flops_per_column * static_cast<Real>(run.count) / static_cast<Real>(depth);
    size.largest = std::max(size.largest, geometry.shape_after((run.last() + 1) * per_layer).size());
    size.positions = work.positions_at_once;
    size.matrices_at_work = std::max(size.matrices_at_work, work.matrices_at_work);
    kept = std::max(kept, work.kept);
  }
  for (const LayerRun& run : geometry.runs(geometry.layers(depth)))
    for (const Index layer : {run.first, run.last()}) {
      const LayerWork work = geometry.work(layer);
      size.weights = std::max(size.weights, work.weights * sizeof(Real));
      size.weights_at_work = std::max(size.weights_at_work, work.weights_at_work * sizeof(Real));
    }
  const auto blocks = static_cast<Real>(per_layer);
  size.kept_derivative = (8 * static_cast<Real>(size.largest) * blocks + kept) * sizeof(Real) / blocks;
  return size;
}

}  // namespace rezero::detail
