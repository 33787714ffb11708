#pragma once
/// Bidiagonal matrices: reduction to bidiagonal form, singular values, and a test of these values.

#include <string>

#include "rezero/core/types.h"

namespace rezero::detail {

/// Upper bidiagonal, n × n.
struct Bidiagonal {
  Vector diagonal;       ///< n
  Vector superdiagonal;  ///< n − 1
};

/// B with A = U B Vᵀ (of Aᵀ if A is wide), U, V products of Householder reflectors. A: finite, entries at
/// most about 1, not empty. Cost 8/3 n³ for square A; memory one copy of A. From 96 columns on in two stages,
/// by a band (spectrum/two_stage/): another 8 n² width, nearly all of it matrix products, on up to `workers`
/// threads. Below that, in one stage (bidiagonal_kernel.h).
Bidiagonal bidiagonalize(const Matrix& A, int workers = 1);

/// All singular values of B, descending, each to a few ulps of itself (the theoretical bound is 6e-15 n
/// relative; the worst of 6000 graded, glued and clustered matrices up to n = 30 was 1.2e-15). Bisection with
/// Sturm counts on the squares, accelerated by Newton steps that the counts verify. Always ends, for any
/// finite entries: at most 64 + 62 rounds (at most 34 seen). Values below 2^-480 of the largest entry are
/// returned as 0. Cost about 16 n² divisions, 50 n² at worst seen. Source of the counts: pivots.h.
Vector bidiagonal_singular_values(const Bidiagonal& B, int workers = 1);

/// Number of singular values of B below x > 0, by another recurrence on other data than the solver's: Sturm
/// counts of the 2n × 2n Golub–Kahan matrix with zero diagonal and off-diagonals d₁, f₁, d₂, …, dₙ. Cost 2n
/// divisions. Source: Golub & Kahan, "Calculating the singular values and pseudo-inverse of a matrix", 1965.
Index count_below(const Bidiagonal& B, Real x);

/// Tests about 16 sampled values, including both ends. Returns an empty text, or the first value that has no
/// singular value of its rank within 8 (n + 4) eps of itself. sigma: descending.
std::string sturm_certificate(const Bidiagonal& B, const Vector& sigma);

}  // namespace rezero::detail
