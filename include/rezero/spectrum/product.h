#pragma once
/// Singular values of a product of many factors, each to high relative accuracy: also those of which the
/// product, once formed, holds no digit.

#include <functional>
#include <memory>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/linalg/linear_map.h"

namespace rezero {

/// What the factors say of the singular values of their product.
struct ProductValues {
  std::vector<ScaledReal> sigma;  ///< min(rows, cols) values, descending: `rank` of them, then zeros
  Index rank = 0;        ///< values that the factors determine; the rest is rounding, or exactly zero
  Index rank_bound = 0;  ///< rank(J) ≤ this, proved by zero rows and columns of factors and by their shapes
  Real relative_error_estimate = 0;  ///< of every value that is not zero; see each function
  ScaledReal volume;  ///< Π of the pivots that the factors' QR left: the product of the values by another way
  int sweeps = 0;     ///< of the Jacobi iteration
  bool converged = false;
};

/// J = A_L … A_1 S, one factor after the other, as Q diag(2^e) T: Q with orthonormal columns, T well
/// conditioned. The accumulated product is multiplied out plainly while its condition number stays below 1e3
/// (bitwise what that product is), then A Q = Q′R is factored without pivoting,
///   diag(2^e′) T′ = R diag(2^e) T, row by row,
/// in powers of two, so no scale overflows, underflows or loses a bit; the singular values of diag(2^e) T
/// come by one-sided Jacobi (spectrum/product/scaled_columns.h). Directions in which A Q is rounding are
/// dropped. Error: about Σ eps κ(A_l) at worst, the limit of what rounded factors determine. Any shapes that
/// fit. Cost a factor: its apply on S.cols() columns; when it is factored alone 8/3 n³ (QR with Q) + n³ (T).
/// Memory: 6 n² doubles, and up to 8 maps are kept. Sources: the stabilization of determinant quantum Monte
/// Carlo, Bauer, "Fast and stable determinant quantum Monte Carlo", 2020; QR of long products: Stewart, "On
/// graded QR decompositions of products of matrices", 1997.
class GradedProduct {
 public:
  /// S: n × k with orthonormal columns; the identity for J itself.
  explicit GradedProduct(Matrix start);
  ~GradedProduct();
  GradedProduct(GradedProduct&&) noexcept;
  GradedProduct& operator=(GradedProduct&&) noexcept;

  /// J ← A J. ShapeError if A does not fit; NumericalError if the product is not finite.
  void push(const LinearMapPtr& A);
  Index factors() const;

  /// The singular values of the product so far; pushing may go on. relative_error_estimate is eps (Σ κ of the
  /// groups + κ(T)): an upper bound in practice, 10 to 500 times too large.
  ProductValues values() const;

  /// rows × rows orthogonal: an orthonormal basis of J's range in the order of its values, then of the rest.
  Matrix range() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Factors of J = A_L … A_1 by index, made or looked up on demand: at(0) acts first.
struct ProductFactors {
  Index count = 0;
  Index cols = 0;  ///< of J
  std::function<LinearMapPtr(Index)> at;
  std::function<void()> checkpoint;  ///< called before each factor, if set; may throw to give up
};

/// The singular values of J by two sweeps: Jᵀ = A_1ᵀ … A_Lᵀ first, whose range, in its order, is what J is
/// then applied to. A factor that is badly graded at the beginning of the product is met in its own order, so
/// the second sweep has the higher accuracy; the difference of the two, the largest over all values relative
/// to each, is relative_error_estimate, at least n eps. It measures the method, transposed apply against
/// apply included; not the rounding within a factor that both directions share. Cost twice that of a
/// GradedProduct and two Jacobi iterations.
ProductValues product_singular_values(const ProductFactors& factors);

}  // namespace rezero
