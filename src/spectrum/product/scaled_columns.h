#pragma once
/// A matrix whose columns have separate scales, beyond the range of double, and its singular values.

#include <cstdint>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/core/types.h"

namespace rezero::detail {

/// Column j represents columns.col(j) · 2^exponents[j].
struct ScaledColumns {
  Matrix columns;
  std::vector<std::int64_t> exponents;

  Index count() const { return columns.cols(); }
  /// ‖column j‖₂, including its scale.
  ScaledReal norm(Index j) const;
};

struct TriangleValues {
  std::vector<ScaledReal> sigma;  ///< descending, one per column
  bool converged = false;
  Real condition = 1;  ///< estimated, of the columns scaled to norm one: the factor of eps in the error
};

/// Singular values of G, rows ≥ columns, no zero column, for any scales. The relative error is about eps
/// times the condition number of the columns scaled to norm one. Sorts the columns by size and factors G = Q
/// R. The values of the triangle come from bidiagonalization if its scales fit into a double and the product
/// of the values proves that none was lost, otherwise from one-sided Jacobi. Its rotations use only quotients
/// of scales, so the range is unlimited: with ρ = ‖c_j‖ / ‖c_i‖ ≤ 1 and the cosine ζ of the two,
///   θ = (ρ² − 1)/(2ζ),  τ = sign θ / (|θ| + √(ρ² + θ²)),  tan = τρ,
/// and τ stays finite if ρ underflows: the rotation is then a Gram–Schmidt step. Cost 2 rows cols², plus
/// 8/3 cols³, or by Jacobi cols³ (one pass over orthogonal pairs) to 6 cols³ per sweep, six to nine sweeps.
/// Sources: Hestenes 1958; Demmel & Veselić, "Jacobi's method is more accurate than QR", 1992; Drmač &
/// Veselić, "New fast and accurate Jacobi SVD algorithm", 2008; Barlow, "More accurate bidiagonal reduction
/// for computing the singular value decomposition", 2002.
TriangleValues scaled_singular_values(ScaledColumns G, int workers = 1);

}  // namespace rezero::detail
