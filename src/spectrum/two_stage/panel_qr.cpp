#include "spectrum/two_stage/panel_qr.h"

#include "linalg/matrix_product.h"
#include "linalg/octet.h"
#include "linalg/small_product.h"
#include "spectrum/two_stage/leaf_kernel.h"

namespace rezero::detail {
PanelQr::PanelQr(Index rows, Index columns)
    : V_(whole_octets(rows), whole_octets(columns)),
      Wt_(whole_octets(columns), whole_octets(rows)),
      R_(whole_octets(columns), whole_octets(columns)),
      gram_(whole_octets(columns), whole_octets(columns)) {}

PanelQr::Block PanelQr::panel(Index rows, Index columns) {
  rows_ = rows, columns_ = columns, height_ = whole_octets(rows), width_ = whole_octets(columns);
  V_.block(rows, 0, height_ - rows, width_).setZero();
  V_.block(0, columns, height_, width_ - columns).setZero();
  return V_.topLeftCorner(rows, columns);
}

void PanelQr::factor() {
  R_.setZero(), gram_.setZero();
  factor(0, width_);
  // W = V T: T by substitution in the small identity, then one product with V in place.
  Matrix T = Matrix::Identity(width_, width_);
  gram_.topLeftCorner(width_, width_).triangularView<Eigen::UnitUpper>().solveInPlace(T);
  T.transposeInPlace();
  small_product({T.data(), width_, V_.data(), V_.outerStride(), 1, width_}, width_, height_, Wt_.data(),
                Wt_.outerStride());
}

void PanelQr::factor(Index first, Index count) {
  if (first >= height_) return;  // more columns than rows: nothing left to reflect
  if (count == leaf_columns) return factor_leaf(first);
  const Index left = whole_octets(count / 2), right = count - left, height = height_ - first,
              second = first + left;
  factor(first, left);
  const auto V = V_.block(first, first, height, left);
  auto rest = V_.block(first, second, height, right);
  Matrix Y(left, right);
  multiply_transposed(V, rest, Y);
  gram_.block(first, first, left, left).triangularView<Eigen::UnitUpper>().transpose().solveInPlace(Y);
  Y = -Y;
  add_product(V, Y, rest);
  const Index top = std::min(left, height);
  R_.block(first, second, top, right) = rest.topRows(top);
  rest.topRows(top).setZero();  // V is zero there
  factor(second, right);
  multiply_transposed(V, rest, gram_.block(first, second, left, right));
}

void PanelQr::factor_leaf(Index first) {
  leaf_kernel().factor(&V_(first, first), V_.outerStride(), height_ - first, &R_(first, first),
                       R_.outerStride());
  const auto V = V_.block(first, first, height_ - first, leaf_columns);
  multiply_transposed(V, V, gram_.block(first, first, leaf_columns, leaf_columns));
}

}  // namespace rezero::detail
