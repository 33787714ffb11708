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

  /// The triangle R(:, kept).
  Matrix triangle() const { return R(Eigen::all, kept); }
};

/// Householder QR of a finite M (rows × cols, any shape). Columns are never exchanged: the order in which a
/// product's directions were found is their order by size. Column j depends on the preceding ones if its
/// remainder along its new direction q is rounding error,
///   |R_jj| ≤ noise · max(‖M_j‖₂, √Σ_i q_i² ‖row i of M‖²),
/// the second because M = A Q₀ with ‖q₀‖ = 1 has an error of eps · ‖row i of A‖ in each row: a null vector of
/// A becomes a column of such errors alone. Dependent columns get no direction, so that the components of
/// later columns in it are not lost. Zero rows and columns are left out first, so masks cost nothing. Cost
/// 8/3 rows cols²; one more QR for each dependent column that is followed by independent ones.
OrderedQr ordered_qr(const Matrix& M, Real noise);

/// ‖R‖_F ‖R⁻¹‖₂ with a lower bound on the norm of the inverse by inverse iteration: within a small factor of
/// the condition number of the triangle R. Infinity if R is singular; 1 if empty. Cost 6 r².
Real triangle_condition(const Matrix& R);

}  // namespace rezero::detail
