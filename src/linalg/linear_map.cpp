#include "rezero/linalg/linear_map.h"

#include <algorithm>
#include <string>

#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero {
namespace {

void check_shapes(const char* what, const LinearMap& map, Index in, Index out, ConstColumns v,
                  Columns result) {
  if (v.rows() != in || result.rows() != out || v.cols() != result.cols())
    throw ShapeError(std::string(what) + ": a " + joined({map.rows(), map.cols()}, " × ") +
                     " map cannot take " + joined({v.rows(), v.cols()}, " × ") + " to " +
                     joined({result.rows(), result.cols()}, " × "));
}

}  // namespace

void LinearMap::apply(ConstColumns v, Columns out) const {
  check_shapes("apply", *this, cols(), rows(), v, out);
  do_apply(v, out);
}

void LinearMap::apply_transpose(ConstColumns u, Columns out) const {
  check_shapes("apply_transpose", *this, rows(), cols(), u, out);
  do_apply_transpose(u, out);
}

Matrix LinearMap::do_block(Index t) const {
  constexpr Index panel = 256;
  const Index width = cols() / local_positions();
  Matrix dense(rows() / local_positions(), width);
  for (Index start = 0; start < width; start += panel) {
    const Index part = std::min(panel, width - start);
    Matrix unit = Matrix::Zero(width, part);
    unit.block(start, 0, part, part).setIdentity();
    do_apply_at(t, unit, dense.middleCols(start, part));
  }
  return dense;
}

Matrix to_dense(const LinearMap& map) {
  const Index positions = map.local_positions();
  if (positions == 1) return map.block(0);
  const Index rows = map.rows() / positions, cols = map.cols() / positions;
  Matrix dense = Matrix::Zero(map.rows(), map.cols());
  for (Index t = 0; t < positions; ++t) dense.block(t * rows, t * cols, rows, cols) = map.block(t);
  return dense;
}

}  // namespace rezero
