#pragma once
/// Singular values of a product of many factors, each to high relative accuracy, including those of which the
/// formed product contains no correct digit.

#include <memory>
#include <optional>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// The singular values of a product, as determined by its factors.
struct ProductValues {
  std::vector<ScaledReal> sigma;  ///< min(rows, cols) values, descending: `rank` of them, then zeros
  /// number of values that the factors determine; the rest is rounding error, or exactly zero
  Index rank = 0;
  /// upper bound on rank(J), proved by zero rows and columns of factors and by their shapes
  Index rank_bound = 0;
  Real relative_error_estimate = 0;  ///< of every non-zero value; see each function
  /// Estimated bound on the contribution to J of directions dropped as rounding error, ‖·‖_F, and on the
  /// values on which sweeps disagreed. No value outside the first `rank` is larger, and no value of J differs
  /// from its own value here by more than the dropped directions.
  ScaledReal unresolved_below;
  /// Π |pivots| of the factors' QR: |det J| without any rotation. Absent if J is not square or has lost a
  /// direction.
  std::optional<ScaledReal> volume;
  int sweeps = 1;          ///< through the factors
  bool converged = false;  ///< whether the Jacobi iteration converged
};

/// The values of a product of factors, and rows × rows orthogonal: an orthonormal basis of its range in the
/// order of its values, then of the rest.
struct ProductEnds {
  ProductValues values;
  Matrix range;
};

/// J = A_L … A_1 S, one factor after another, kept as Q diag(2^e) T with orthonormal columns Q and
/// well-conditioned T. The accumulated product is multiplied out while its condition number stays below 1e4
/// (1e3 for n ≤ 256, 1e2 for n ≤ 64), bitwise equal to the plain product. Then A Q = Q′R is factored without
/// exchanging columns, and
///   diag(2^e′) T′ = R diag(2^e) T, row by row,
/// in powers of two, so no scale overflows, underflows or loses a bit. A factor that leaves every bit of A Q
/// unchanged is skipped. spectrum/product/scaled_columns.h gives the singular values of diag(2^e) T.
/// Directions in which A Q is rounding error are dropped. Error: about Σ eps κ(A_l) at worst, the limit of
/// what rounded factors determine. Any shapes that fit. Cost per factor: its apply on S.cols() columns, and
/// if it is factored alone 2 to 4 n³ (QR with Q) and n³/3 (T a triangle) to n³. Memory: about 12 n² doubles,
/// and up to 8 maps. Sources: the stabilization of determinant quantum Monte Carlo, Bauer, "Fast and stable
/// determinant quantum Monte Carlo", 2020; QR of long products: Stewart, "On graded QR decompositions of
/// products of matrices", 1997.
class GradedProduct {
 public:
  /// S: n × k with orthonormal columns; the identity for J itself. `workers`: threads over the columns to
  /// which a factor is applied; bytes do not depend on them.
  explicit GradedProduct(Matrix start, int workers = 1);
  ~GradedProduct();
  GradedProduct(GradedProduct&&) noexcept;
  GradedProduct& operator=(GradedProduct&&) noexcept;

  /// J ← A J. ShapeError if A does not fit; NumericalError if the product is not finite.
  void push(const ScaledMap& A);
  Index factors() const;

  /// The singular values of the product so far; more factors may follow. relative_error_estimate is eps (Σ κ
  /// of the groups + κ(T)): in practice an upper bound, 10 to 500 times too large.
  ProductValues values() const;

  /// The same, with the basis; ends the product.
  ProductEnds ends() &&;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct ProductOptions {
  int workers = 1;         ///< as for GradedProduct
  Index proved_zeros = 0;  ///< exact zeros of J that the caller can prove, included in rank_bound
};

/// The singular values of J by sweeps through the factors in both directions. The first sweep factors Jᵀ =
/// A_1ᵀ … A_Lᵀ from a random basis; J is then applied to the range of the first, in its order, so that a
/// factor that is badly graded at the beginning is processed in its own order. relative_error_estimate is the
/// largest relative difference of the last two sweeps over all values, at least n eps; `volume` is that of
/// the sweep before the last. These tests share no product, QR or rotation with the values. There are two
/// sweeps, and more (up to six) while they reduce an estimate above 1e-9 or find values that rounding hid
/// before. The estimate measures the method, not the rounding within a factor that both directions share.
/// Values on which the last two sweeps do not agree to 1e-4 are dropped, with all smaller ones. Cost per
/// sweep as for GradedProduct, plus a Jacobi iteration. factors.count ≥ 1.
ProductValues product_singular_values(const FactorSource& factors, const ProductOptions& options = {});

}  // namespace rezero
