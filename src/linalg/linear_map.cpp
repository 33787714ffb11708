#include "rezero/linalg/linear_map.h"

#include <algorithm>
#include <string>

#include "rezero/core/error.h"

namespace rezero {
namespace {

std::string shape_text(Index rows, Index cols) {
  return std::to_string(rows) + " × " + std::to_string(cols);
}

void check_shapes(const char* what, const LinearMap& map, Index in, Index out, ConstColumns v,
                  Columns result) {
  if (v.rows() != in || result.rows() != out || v.cols() != result.cols())
    throw ShapeError(std::string(what) + ": a " + shape_text(map.rows(), map.cols()) + " map cannot take " +
                     shape_text(v.rows(), v.cols()) + " to " + shape_text(result.rows(), result.cols()));
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

Matrix LinearMap::do_to_dense() const {
  constexpr Index panel = 256;
  Matrix dense(rows(), cols());
  for (Index start = 0; start < cols(); start += panel) {
    const Index width = std::min(panel, cols() - start);
    Matrix unit = Matrix::Zero(cols(), width);
    unit.block(start, 0, width, width).setIdentity();
    do_apply(unit, dense.middleCols(start, width));
  }
  return dense;
}

Matrix to_dense(const LinearMap& map) {
  return map.do_to_dense();
}

}  // namespace rezero
