#pragma once
/// QR in the order the columns stand in, without those that depend on the ones before.

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
/// product's directions were found is their order by size. Column j depends on those before it when what
/// remains of it along its new direction q is rounding,
///   |R_jj| ≤ noise · max(‖M_j‖₂, √Σ_i q_i² ‖row i of M‖²),
/// the second since M = A Q₀ with ‖q₀‖ = 1 carries an error eps · ‖row i of A‖ in each row: a null vector of
/// A shows as a column of such errors alone. Such columns get no direction, so that what later columns have
/// in it is not lost. Zero rows and columns are left out first: masks cost nothing. Cost 8/3 rows cols²; one
/// QR more for each dependent column that independent ones follow.
OrderedQr ordered_qr(const Matrix& M, Real noise);

/// ‖R‖_F ‖R⁻¹‖₂ with the norm of the inverse from below by inverse iteration: within a small factor of the
/// condition number of the triangle R. Infinity when R is singular; 1 when empty. Cost 6 r².
Real triangle_condition(const Matrix& R);

}  // namespace rezero::detail
