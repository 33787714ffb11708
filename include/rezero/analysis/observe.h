#pragma once
/// From a computed Jacobian to the numbers of a report.

#include "rezero/analysis/result.h"
#include "rezero/jacobian/backward.h"
#include "rezero/jacobian/forward.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// max |J − I| for a square J, at any exponent, without overflow.
ScaledReal identity_error(const ScaledMatrix& J);
/// max |J − diag(1[x > 0])| likewise.
ScaledReal mask_error(const ScaledMatrix& J, const Vector& x);
/// max |a − b| for vectors with separate exponents.
ScaledReal max_difference(const ScaledVector& a, const ScaledVector& b);

/// The reported J at one depth, and the states that it connects.
struct ReportedJacobian {
  Index depth = 0, blocks = 0;
  JacobianView J;             ///< formed, or in the form of its products; `matrix_error` is left to `forming`
  ScaledVector start, state;  ///< x_0 and x_L
  /// of the rows: directions proved by structure to be unreachable (a norm at the end)
  Index null_directions = 0;
  FormingError forming;    ///< of the formed J
  bool zeros_hold = true;  ///< zero rows and columns of the formed J are not due to cancellation
  std::function<Underflow()> underflow;  ///< called once the spectrum is known; empty: no underflow
};

/// J as accumulated from the blocks, one block per layer, without anything around it. The objects to which
/// the step refers must outlive the result.
ReportedJacobian reported(const ForwardStep& step, const ScaledVector& start);

/// Spectrum (if requested), norms, errors and metrics of J = ∂x_L/∂x_0 at one depth. If J is not formed,
/// everything that needs its entries is absent. seed: of start vectors. No result depends on `workers`.
DepthResult observe(const ReportedJacobian& seen, const AnalysisOptions& options, std::uint64_t seed,
                    int workers = 1);

/// The input of checks.
struct CheckObservation {
  const DepthResult* result = nullptr;
  const std::vector<BlockFacts>* blocks = nullptr;
};

/// How one block deviates from the identity, recorded during the forward pass.
BlockFacts block_facts(const BlockStep& step);

/// Adds results of the backward pass: whether the parameter that switches a branch off receives a gradient.
void add_gradient_facts(BlockFacts& facts, const ScaledReal& gate_gradient,
                        const ScaledReal& last_weight_gradient);

}  // namespace rezero
