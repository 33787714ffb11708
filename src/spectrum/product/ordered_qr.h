#pragma once
/// QR in the given order of columns, without those that depend on the preceding ones.

#include <vector>

#include "rezero/core/types.h"

namespace rezero::detail {

/// M = Q R up to rounding, Q: rows × r orthonormal, R: r × cols a staircase: row i is zero left of column
/// kept[i].
struct OrderedQr {
  Matrix Q, R;
  std::vector<Index> kept;  ///< the r columns that are independent, ascending

  /// Whether every column is independent of its predecessors; R is then a triangle.
  bool full_rank() const { return R.rows() == R.cols(); }
  /// The triangle R(:, kept).
  Matrix triangle() const { return full_rank() ? R : Matrix(R(Eigen::all, kept)); }
};

/// QR of a finite M (rows × cols, any shape). Columns are never exchanged: the order in which a product's
/// directions were found is their order by size. Let v = ‖v‖ q be the remainder of column j after the
/// preceding columns. The column depends on them if v is rounding error,
///   ‖v‖ ≤ noise · max(‖M_j‖₂, √Σ_i q_i² ‖row i of M‖²),
/// the second because M = A Q₀ with ‖q₀‖ = 1 has an error of eps · ‖row i of A‖ in each row: a null vector of
/// A becomes a column of such errors alone. Dependent columns get no direction, so that the components of
/// later columns in it are not lost. Zero rows and columns are left out first, so masks cost nothing.
///
/// Method: block Gram–Schmidt in panels. It keeps v in the coordinates of M, where the test needs it, and
/// gives Q directly. A panel is orthogonalized against the preceding directions once, and a second time if
/// cancellation took nine tenths of a column. Its columns are then orthogonalized at once, by Cholesky's
/// factorization of their Gram matrix (panel.h), twice if they are not well conditioned; or in turn, if it
/// leaves less than a thousandth of one, which only the test can tell from rounding error. Column j of Q R −
/// M is below a small multiple of eps · ‖M_j‖, and ‖QᵀQ − I‖ below a small multiple of eps · rows. Cost 2 to
/// 4 rows cols², in matrix products on `workers` threads; 4 rows r for a dependent column. The result's bits
/// do not depend on the number of workers. Sources: Giraud, Langou, Rozložník & van den Eshof, "Rounding
/// error analysis of the classical Gram-Schmidt orthogonalization process", 2005; Barlow & Smoktunowicz,
/// "Reorthogonalized block classical Gram-Schmidt", 2013; Yamamoto, Nakatsukasa, Yanagisawa & Fukaya,
/// "Roundoff error analysis of the CholeskyQR2 algorithm", 2015.
OrderedQr ordered_qr(const Matrix& M, Real noise, int workers = 1);
/// The same of the columns order[0], order[1] … of M; column j of R and `kept` belong to order[j].
OrderedQr ordered_qr(const Matrix& M, const std::vector<Index>& order, Real noise, int workers = 1);

/// ‖R‖_F ‖R⁻¹‖₂ with a lower bound on the norm of the inverse by inverse iteration: within a small factor of
/// the condition number of the triangle R. Infinity if R is singular; 1 if empty. Cost 6 r².
Real triangle_condition(const Matrix& R);

}  // namespace rezero::detail
