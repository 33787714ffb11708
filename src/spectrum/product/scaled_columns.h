#pragma once
/// A matrix whose columns have scales of their own, beyond the range of double, and its singular values.

#include <cstdint>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/core/types.h"

namespace rezero::detail {

/// Column j stands for columns.col(j) · 2^exponents[j].
struct ScaledColumns {
  Matrix columns;
  std::vector<std::int64_t> exponents;

  Index count() const { return columns.cols(); }
  /// ‖column j‖₂ with its scale.
  ScaledReal norm(Index j) const;
};

struct JacobiValues {
  std::vector<ScaledReal> sigma;  ///< descending, one a column
  int sweeps = 0;
  bool converged = false;
  Real condition = 1;  ///< of the columns scaled to norm one, estimated: what eps is multiplied by
};

/// Singular values of G, rows ≥ columns, no column zero, whatever the scales: relative error about eps times
/// the condition number of the columns scaled to norm one. Sorted by size, G = Q R, and one-sided Jacobi on
/// the rows of the triangle, which are nearly orthogonal when the scales differ. Rotations use the quotients
/// of scales only, so their range is unlimited: with ρ = ‖c_j‖ / ‖c_i‖ ≤ 1 and the cosine ζ of the two,
///   θ = (ρ² − 1)/(2ζ),  τ = sign θ / (|θ| + √(ρ² + θ²)),  tan = τρ,
/// and τ stays finite where ρ underflows: the rotation is then a step of Gram–Schmidt. Cost 2 rows cols² and
/// cols³ (one pass over orthogonal pairs) to about 6 cols³ a sweep. Sources: Hestenes 1958; Demmel & Veselić,
/// "Jacobi's method is more accurate than QR", 1992; Drmač & Veselić, "New fast and accurate Jacobi SVD
/// algorithm", 2008.
JacobiValues scaled_singular_values(ScaledColumns G);

}  // namespace rezero::detail
