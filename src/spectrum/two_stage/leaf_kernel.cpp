#include "spectrum/two_stage/leaf_kernel.h"

#include "linalg/octet.h"
#include "spectrum/two_stage/reflection.h"

namespace rezero::detail {
namespace {

constexpr int leaf = leaf_columns;
static_assert(leaf == octet_size, "each column of R is one Octet");

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
    reflect_from<0>();
    for (int k = 0; k < leaf; ++k)
      for (int i = 0; i <= k; ++i) R[k * r_stride + i] = head_[k][i];
  }

 private:
  Real* at(Index row, Index column) const {
    return a_ + column * stride_ + row;
  }

  template <int j>
  void reflect_from() {
    reflect<j>();
    if constexpr (j + 1 < leaf) reflect_from<j + 1>();
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

void factor(Real* columns, Index stride, Index rows, Real* R, Index r_stride) {
  Leaf(columns, stride, rows).factor(R, r_stride);
}

}  // namespace

REZERO_KERNEL_TABLE(LeafKernel, leaf_kernel) = {factor};

}  // namespace rezero::detail
