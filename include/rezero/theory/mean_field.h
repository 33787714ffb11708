#pragma once
/// The forward pass at infinite width: one set of scalars per block, from which every law is computed.

#include "rezero/theory/expectations.h"
#include "rezero/theory/network_law.h"

namespace rezero::theory {

/// The scalars of block l, at its input.
struct BlockState {
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
};

struct MeanField {
  std::vector<BlockState> blocks;  ///< L
  Real final_square = 0, final_mean = 0;
};

/// Forward recursion (Poole et al. 2016, arXiv 1606.05340; Yang & Schoenholz 2017, arXiv 1712.08969; with the
/// mean of `dense` branches carried along). A value beyond the range of doubles ends the recursion:
/// NumericalError. Cost: one quadrature per block (none where the activation is homogeneous).
MeanField mean_field(const NetworkLaw& law);

}  // namespace rezero::theory
