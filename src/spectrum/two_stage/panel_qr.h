#pragma once
/// QR of a narrow panel: the part of the reduction to a band that is not a matrix product.

#include "rezero/core/types.h"

namespace rezero::detail {

/// P = Q R for a panel P of few columns; Q = I − W Vᵀ orthogonal, W = V T (compact WY).
class PanelQr {
 public:
  using Block = Eigen::Block<Matrix>;
  using ConstBlock = Eigen::Block<const Matrix>;

  /// Room for panels of up to rows × columns.
  PanelQr(Index rows, Index columns);

  /// Storage for the next panel, rows × columns, to be filled before factor().
  Block panel(Index rows, Index columns);
  /// Recursive in the columns (Elmroth & Gustavson 2000) down to eight, which are reflected one by one by I −
  /// v vᵀ, ‖v‖² = 2, each in one pass over the memory. With that norm T = (I + strict upper part of VᵀV)⁻¹
  /// (Joffrain et al., "Accumulating Householder transformations, revisited", 2006), also if v = 0 for a zero
  /// column. Entries at most about 1. Cost about 4 rows columns².
  void factor();

  ConstBlock V() const { return V_.topLeftCorner(rows_, columns_); }  ///< lower trapezoidal
  /// columns × rows.
  ConstBlock W_transpose() const { return Wt_.topLeftCorner(columns_, rows_); }
  /// columns × columns, upper triangular; zero below row `rows`.
  ConstBlock R() const { return R_.topLeftCorner(columns_, columns_); }

 private:
  void factor(Index first, Index count);
  void factor_leaf(Index first);

  Index rows_ = 0, columns_ = 0;  ///< of the panel
  Index height_ = 0, width_ = 0;  ///< the same, rounded up to whole octets; zero beyond the panel
  Matrix V_, Wt_, R_, gram_;      ///< V_ holds the panel at first; gram_: VᵀV above the diagonal
};

}  // namespace rezero::detail
