#pragma once
/// The part diag(2^e) T of a product kept as Q diag(2^e) T.

#include "spectrum/product/ordered_qr.h"
#include "spectrum/product/scaled_columns.h"

namespace rezero::detail {

/// Rows of T, stored as scaled columns with their largest entry in [1/2, 1). The singular values are those of
/// the product.
class Udt {
 public:
  /// The identity of that size.
  explicit Udt(Index size);

  /// diag(2^e) T ← 2^exponent R diag(2^e) T. Row i of R diag(2^e) is computed in units of its largest entry,
  /// so that only entries below 2^−1074 of their row underflow. Cost size · rows² (rows of R) for a triangle,
  /// a third of that if T is one, too.
  void multiply(const OrderedQr& qr, std::int64_t exponent, int workers = 1);

  /// The order of the rows of diag(2^e) T in which the columns of M diag(2^e) descend, by powers of two.
  std::vector<Index> descending(const Matrix& M) const;
  /// Row order[i] becomes row i.
  void reorder(const std::vector<Index>& order);

  const ScaledColumns& rows() const { return rows_; }
  /// Π |pivots of R| 2^exponent, and whether all R were square.
  const ScaledReal& volume() const { return volume_; }
  bool volume_is_determinant() const { return square_; }

 private:
  ScaledColumns rows_;
  std::vector<Index> first_;  ///< no entry before that index, of each row
  bool identity_ = true, square_ = true;
  ScaledReal volume_ = ScaledReal::make(1);
};

}  // namespace rezero::detail
