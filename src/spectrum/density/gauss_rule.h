#pragma once
/// The Gauss rule of a bidiagonal recurrence.

#include <vector>

#include "rezero/core/types.h"

namespace rezero::detail {

/// Of B (upper bidiagonal, m × m) = P diag(node) Qᵀ, only the parts that a quadrature needs. Nodes are
/// ascending.
struct GaussRule {
  std::vector<Real> node;    ///< singular values
  std::vector<Real> weight;  ///< Q(0, i)²: of the spectral measure of BᵀB at the first unit vector
  std::vector<Real> last;    ///< |P(m − 1, i)|: times the coupling to the next vector, a residual
};

/// alpha: the first m entries of the diagonal, beta of the superdiagonal. Implicit QL on the 2m × 2m
/// Golub–Kahan matrix (zero diagonal; off-diagonals α₁, β₁, α₂, …, α_m), carrying only the first and the last
/// components of its vectors: nodes to eps σ₁, not √eps σ₁ as from BᵀB. Cost about 40 m² flops and 7 m²
/// divisions and roots. NaN if the iteration does not end (never seen). Source: Golub & Welsch, "Calculation
/// of Gauss quadrature rules", 1969; the step is EISPACK's imtql2.
GaussRule gauss_rule(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index m);

}  // namespace rezero::detail
