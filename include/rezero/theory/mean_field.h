#pragma once
/// The forward pass at infinite width: one set of scalars per block, from which every law is computed.

#include <cstdint>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/theory/expectations.h"
#include "rezero/theory/network_law.h"

namespace rezero::theory {

/// The scalars of block l, at its input. Squares and variances (q, p, v) are in units of 2^exponent, means in
/// units of 2^(exponent/2), so that a stream may grow beyond the range of doubles. The exponent is 0 unless
/// q < 2^−400 or q > 2^400, where the activation's expectations scale with the unit; it is even. Behind a
/// norm, the branch's argument p is in units of 1.
struct BlockState {
  std::int64_t exponent = 0;
  Real square = 0;           ///< q_l = |x_l|²/n
  Real mean = 0;             ///< μ_l, the mean of x_l's entries
  Real argument = 0;         ///< p, the variance of φ's argument
  Expectations at_argument;  ///< expectations at p
  Real branch_square = 0;    ///< v, E F²
  Real branch_mean = 0;      ///< m, E F (dense only)
  Real branch_slope = 0;     ///< χ = tr(BᵀB)/n, B = ∂F/∂x, a norm before the branch included
  Real eta = 0;              ///< tr((BᵀB)²)/n = (1 + η) χ²
  Real ratio = 0;            ///< c = α²χ/λ²; not set if λ = 0
  Real factor = 0;           ///< λ² + α²χ, divided by the square of a norm after the sum: m1 grows by it
  Real log_divisor = 0;      ///< log of the square that a norm after the sum divides by
};

struct MeanField {
  std::vector<BlockState> blocks;         ///< L
  Real final_square = 0, final_mean = 0;  ///< in units of 2^final_exponent and its root
  std::int64_t final_exponent = 0;

  /// q_l, l = 0..L.
  ScaledReal square(Index l) const;
};

/// Forward recursion (Poole et al. 2016, arXiv 1606.05340; Yang & Schoenholz 2017, arXiv 1712.08969; with the
/// mean of `dense` branches carried along):
///
///     q′ = λ² q + 2 λ α μ m + α² v      μ′ = λ μ + α m
///
/// and, after a norm, q′/(q′ + ε) (less the squared mean for a layer norm). v, m, χ and η of the forms, with
/// E over φ's argument of variance p and κ its kurtosis (σ², τ² the `weight`s, β the biases):
///
///     linear         v = σ² q + β                      χ = σ²          η = 1 (Haar: 0)
///     dense          v = E φ², p = σ² q + β            χ = σ² E φ′²    η = κ (κ − 1)
///     preactivation  v = σ² E φ² + β, p = q            χ = σ² E φ′²    η = κ (κ − 1)
///     mlp            v = τ² E φ² + β2, p = σ² q + β    χ = σ²τ² E φ′²  η = 1 + κ/γ (κ − 1)
///
/// A value beyond the range of doubles for an activation that is not asymptotically of degree 1 ends the
/// recursion: NumericalError. Cost: one quadrature per block (none where the activation is homogeneous).
MeanField mean_field(const NetworkLaw& law);

}  // namespace rezero::theory
