#pragma once
/// Counting eigenvalues of BᵀB below many points at once: the inner loop of the bisection.
///
/// The squares of B's singular values are the eigenvalues of BᵀB = L D Lᵀ. For a point μ, the pivots of L D
/// Lᵀ − μ,
///   pᵢ = qᵢ + sᵢ,   sᵢ₊₁ = (eᵢ / pᵢ) sᵢ − μ,   s₁ = −μ,   qᵢ = dᵢ², eᵢ = fᵢ²,
/// are negative as often as there are eigenvalues below μ, exactly so for some B with every entry changed by
/// a few ulps. Source: the stationary qd transformation, Dhillon & Parlett 2004, section 4. Differentiated:
///   s′ᵢ₊₁ = (eᵢ / pᵢ) (qᵢ / pᵢ) s′ᵢ − 1,   and Σ s′ᵢ / pᵢ is the logarithmic derivative of det(BᵀB − μ).

#include <cstdint>
#include <vector>

#include "spectrum/dense/bidiagonal.h"
#include "spectrum/dense/pivots_kernel.h"

namespace rezero::detail {

/// Lower limit for points. It ensures that no pivot except an exact zero is below 2^-1013, that no quotient
/// overflows, and that underflowed values are below every point.
constexpr Real lowest_point = 0x1p-960;

/// q and e of B, scaled to a largest entry in [0.5, 1).
struct Squares {
  Vector q, e;
  int shift = 0;   ///< σ = √μ · 2^shift
  Real upper = 0;  ///< no eigenvalue is larger
};

/// largest: the largest modulus of an entry, not zero.
Squares squares_of(const Bidiagonal& B, Real largest);

/// Results at some points.
struct PointCounts {
  std::vector<Real> point;
  std::vector<std::int64_t> below;  ///< eigenvalues below the point
  std::vector<Real> slope;          ///< d/dμ log|det|; NaN if a pivot vanished. Only a hint
};

/// Fills below and slope for every point; pads all three to a full group. Cost n divisions per point; up to
/// `workers` threads share the groups if there is enough work.
void count_below_points(const Squares& squares, PointCounts& counts, int workers);

}  // namespace rezero::detail
