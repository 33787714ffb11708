#pragma once
/// Gradients at initialization: how a random cotangent grows from the output back to each block, and the
/// gradients of branch scales.

#include <optional>
#include <vector>

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

/// The derivative of uᵀx_L by α of one block, u a fixed direction: normal with this mean and variance as
/// n → ∞, over draws of the weights. u is the gradient of a loss.
struct ScaleGradient {
  /// E over random u as well, divided by |u|²: E F² times the growth of the gradient above the block.
  Real log_square = 0;
  /// The variance for given u, divided by |u|²: without the square of F's mean.
  Real log_variance = 0;
  /// The mean for given u, divided by Σ u_i, where no other branch is on (dense branches; otherwise 0).
  std::optional<Real> mean;
};

/// For cotangents u of random direction. All values are natural logarithms, since they overflow in deep
/// stacks.
struct GradientLaw {
  /// log E|∂(uᵀx_L)/∂x_l|²/|u|², l = 0..L (0 for l = L): Σ over k ≥ l of log factor, with the outlier of
  /// dense branches. That is Π (1 + c_k) without norms, Π (1 + α²χ_F/q_k) with norms before branches, which
  /// is q_L/q_l if v = χ_F; after the sum [(1 + α²χ_F)/(1 + α²v)] (1 − 2/n) per block (an RMS norm: 1 − 1/n).
  /// Stacks with norms carry a positive relative bias of 2 to 3 L/n at α = 1.
  std::vector<Real> log_square;
  /// By block. Exact as n → ∞ where every α is 0; elsewhere it assumes that u's way back and F are
  /// independent. Absent where the branch is not known.
  std::vector<std::optional<ScaleGradient>> scale;
};

/// Cost: O(L), and O(L²) with an outlier.
GradientLaw gradients(const NetworkLaw& law, const MeanField& field);

}  // namespace rezero::theory
