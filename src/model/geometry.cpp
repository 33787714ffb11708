#include "rezero/model/geometry.h"

#include <algorithm>

#include "rezero/model/stack_spec.h"

namespace rezero {

RandomGeometry::RandomGeometry(const StackSpec& spec) : kinds_(spec.family->branches()) {}

LayerWork RandomGeometry::work(Index layer) const {
  LayerWork work;
  const Index first = layer * blocks_per_layer(), inputs = shape().positions;
  for (Index block = first; block < first + blocks_per_layer(); ++block) {
    const BranchKind& kind = branch(block);
    const BranchSizes n = sizes(block);
    const auto positions = static_cast<Real>(shape_after(block + 1).positions);
    Real weights = 0;
    for (const WeightSlot& slot : kind.slots(n)) {
      weights += static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols());
      work.kept += 2 * static_cast<Real>(inputs) * static_cast<Real>(slot.outputs);
    }
    work.flops_per_column += 2 * weights * positions;
    work.kept += kind.kept_copies * weights;
    work.weights = std::max(work.weights, weights);
    work.weights_at_work = std::max(work.weights_at_work, kind.copies_at_work * weights);
    work.matrices_at_work = std::max(work.matrices_at_work, kind.matrices_at_work);
    if (!kind.pairs) continue;
    const PairWork pairs = kind.pairs(n);
    work.flops_per_column += pairs.flops * positions * positions;
    work.kept += pairs.kept * static_cast<Real>(inputs) * static_cast<Real>(inputs);
  }
  work.positions_at_once = inputs;
  return work;
}

}  // namespace rezero
