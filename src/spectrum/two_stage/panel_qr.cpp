#include "spectrum/two_stage/panel_qr.h"

#include <utility>

#include "linalg/octet.h"
#include "linalg/small_product.h"
#include "spectrum/two_stage/reflection.h"

namespace rezero::detail {
namespace {

constexpr int leaf = octet_size;  ///< columns, so that each column of a leaf's R is one Octet

/// Eight columns of `rows` (whole octets) numbers: their R and, in place, their V.
class Leaf {
 public:
  Leaf(Real* columns, Index stride, Index rows) : a_(columns), stride_(stride), rows_(rows) {
    Octet products[leaf] = {};
    for (Index i = 0; i < rows; i += octet_size)
#pragma GCC unroll 8
      for (int k = 0; k < leaf; ++k) products[k] += octet(a_ + i) * octet(at(i, k));
    for (int k = 0; k < leaf; ++k) head_[k] = octet(at(0, k)), dot_[k] = sum(products[k]);
  }

  void factor(Real* R, Index r_stride) {
    reflect_all(std::make_integer_sequence<int, leaf>());
    for (int k = 0; k < leaf; ++k)
      for (int i = 0; i <= k; ++i) R[k * r_stride + i] = head_[k][i];
  }

 private:
  Real* at(Index row, Index column) const {
    return a_ + column * stride_ + row;
  }

  template <int... j>
  void reflect_all(std::integer_sequence<int, j...>) {
    (reflect<j>(), ...);
  }

  /// Column j becomes v, the following columns are reflected, and dot_ is updated for the next column.
  /// dot_[k] = Σ a_j a_k over the rows from j on, so vᵀa_k = scale (dot_[k] − β a_k at row j).
  template <int j>
  void reflect() {
    const Reflection h = reflection(dot_[j], head_[j][j]);
    Real weight[leaf];
    for (int k = j + 1; k < leaf; ++k) weight[k] = h.scale * (dot_[k] - h.beta * head_[k][j]);

    Octet v = head_[j] * h.scale;
    for (int i = 0; i < j; ++i) v[i] = 0;
    v[j] = (head_[j][j] - h.beta) * h.scale;
    octet(at(0, j)) = v;
    head_[j][j] = h.beta;
    for (int k = j + 1; k < leaf; ++k) head_[k] -= v * weight[k];

    Octet products[leaf] = {};
    if (j + 1 < leaf) {
      Octet next = head_[(j + 1) % leaf];
      for (int i = 0; i <= j; ++i) next[i] = 0;
      for (int k = j + 1; k < leaf; ++k) products[k] = next * head_[k];
    }
    for (Index i = octet_size; i < rows_; i += octet_size) {
      const Octet x = octet(at(i, j)) * h.scale;
      octet(at(i, j)) = x;
      Octet next;
#pragma GCC unroll 8
      for (int k = j + 1; k < leaf; ++k) {
        const Octet y = octet(at(i, k)) - x * weight[k];
        octet(at(i, k)) = y;
        if (k == j + 1) next = y;
        products[k] += next * y;
      }
    }
    for (int k = j + 1; k < leaf; ++k) dot_[k] = sum(products[k]);
  }

  Real* a_;
  Index stride_, rows_;
  Octet head_[leaf];  ///< the first eight rows, finally R
  Real dot_[leaf];
};

}  // namespace

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
  if (count == leaf) return factor_leaf(first);
  const Index left = whole_octets(count / 2), right = count - left, height = height_ - first,
              second = first + left;
  factor(first, left);
  const auto V = V_.block(first, first, height, left);
  auto rest = V_.block(first, second, height, right);
  Matrix Y = V.transpose() * rest;
  gram_.block(first, first, left, left).triangularView<Eigen::UnitUpper>().transpose().solveInPlace(Y);
  rest.noalias() -= V * Y;
  const Index top = std::min(left, height);
  R_.block(first, second, top, right) = rest.topRows(top);
  rest.topRows(top).setZero();  // V is zero there
  factor(second, right);
  gram_.block(first, second, left, right).noalias() = V.transpose() * rest;
}

void PanelQr::factor_leaf(Index first) {
  Leaf(&V_(first, first), V_.outerStride(), height_ - first).factor(&R_(first, first), R_.outerStride());
  const auto V = V_.block(first, first, height_ - first, leaf);
  gram_.block<leaf, leaf>(first, first).noalias() = V.transpose() * V;
}

}  // namespace rezero::detail
