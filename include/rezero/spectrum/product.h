#pragma once
/// Singular values of a product of many factors, each to high relative accuracy: also those of which the
/// product, once formed, holds no digit.

#include <memory>
#include <optional>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// What the factors say of the singular values of their product.
struct ProductValues {
  std::vector<ScaledReal> sigma;  ///< min(rows, cols) values, descending: `rank` of them, then zeros
  Index rank = 0;        ///< values that the factors determine; the rest is rounding, or exactly zero
  Index rank_bound = 0;  ///< rank(J) ≤ this, proved by zero rows and columns of factors and by their shapes
  Real relative_error_estimate = 0;  ///< of every value that is not zero; see each function
  /// Estimated bound of what directions that were dropped as rounding add to J, ‖·‖_F, and of the values that
  /// sweeps did not agree on: no value that is not among the first `rank` is larger, and no value of J is
  /// farther than the dropped directions from its own here.
  ScaledReal unresolved_below;
  /// Π |pivots| of the factors' QR: |det J| by a way that no rotation is part of. Nothing where J is not
  /// square or has lost a direction.
  std::optional<ScaledReal> volume;
  int sweeps = 1;          ///< through the factors
  bool converged = false;  ///< the Jacobi iteration did
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
  /// S: n × k with orthonormal columns; the identity for J itself. `workers`: threads over the columns that a
  /// factor is applied to; bytes do not depend on them.
  explicit GradedProduct(Matrix start, int workers = 1);
  ~GradedProduct();
  GradedProduct(GradedProduct&&) noexcept;
  GradedProduct& operator=(GradedProduct&&) noexcept;

  /// J ← A J. ShapeError if A does not fit; NumericalError if the product is not finite.
  void push(const ScaledMap& A);
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

struct ProductOptions {
  int workers = 1;         ///< as for GradedProduct
  Index proved_zeros = 0;  ///< exact zeros of J that the caller can prove; rank_bound respects them
};

/// The singular values of J by sweeps through the factors in both directions: Jᵀ = A_1ᵀ … A_Lᵀ first, whose
/// range, in its order, is what J is then applied to, so that a factor which is badly graded at the beginning
/// is met in its own order. The difference of the last two sweeps, the largest over all values relative to
/// each, is relative_error_estimate, at least n eps, and `volume` is that of the sweep before the last: tests
/// that share no product, no QR and no rotation with the values. Two sweeps, more (up to six) while that
/// brings the estimate down from above 1e-9 or finds values that rounding hid before. The estimate measures
/// the method, not the rounding within a factor that both directions share. Values that the last two sweeps
/// do not agree on to 1e-4 are dropped, with all that are smaller. Cost of a sweep as GradedProduct, and a
/// Jacobi iteration. factors.count ≥ 1.
ProductValues product_singular_values(const FactorSource& factors, const ProductOptions& options = {});

}  // namespace rezero
