#pragma once
/// Bidiagonal matrices: reduction to them, their singular values, and a test of those values.

#include <string>

#include "rezero/core/types.h"

namespace rezero::detail {

/// Upper bidiagonal, n × n.
struct Bidiagonal {
  Vector diagonal;       ///< n
  Vector superdiagonal;  ///< n − 1
};

/// B with A = U B Vᵀ (of Aᵀ when A is wide), U, V products of Householder reflectors. A: finite, entries at
/// most about 1, not empty. Cost 8/3 n³ for square A, half of it matrix-vector; memory one copy of A. Eigen's
/// blocked reduction, after Choi, Dongarra, Walker, "The design of a parallel dense linear algebra software
/// library", 1995.
Bidiagonal bidiagonalize(const Matrix& A);

/// All singular values of B, descending, each to a few ulps times n of itself: bisection with Sturm counts on
/// the squares. Always ends: at most 64 rounds, whatever the entries (finite). Values below 2^-1000 of the
/// largest entry come out as 0. Cost about 45 n² divisions. Source of the counts: the stationary qd
/// transformation, Dhillon & Parlett, "Multiple representations to compute orthogonal eigenvectors", 2004,
/// section 4.
Vector bidiagonal_singular_values(const Bidiagonal& B);

/// Number of singular values of B below x > 0, by another recurrence on other data than the solver's: Sturm
/// counts of the 2n × 2n Golub–Kahan matrix with zero diagonal and off-diagonals d₁, f₁, d₂, …, dₙ. Cost 2n
/// divisions. Source: Golub & Kahan, "Calculating the singular values and pseudo-inverse of a matrix", 1965.
Index count_below(const Bidiagonal& B, Real x);

/// Empty, or which of about 16 sampled values (the ends among them) has no singular value of its rank within
/// 8 (n + 4) eps of itself. sigma: descending.
std::string sturm_certificate(const Bidiagonal& B, const Vector& sigma);

}  // namespace rezero::detail
