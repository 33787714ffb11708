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
/// max |a − b| for vectors with exponents of their own.
ScaledReal max_difference(const ScaledVector& a, const ScaledVector& b);

/// J at one depth as a report sees it, between the states that it connects.
struct ReportedJacobian {
  Index depth = 0, blocks = 0;
  JacobianView J;             ///< formed, or known by its products; `matrix_error` is left to `probe`
  ScaledVector start, state;  ///< x_0 and x_L
  Index null_directions = 0;  ///< of the rows, which structure proves to be out of reach (a norm at the end)
  const RoundingProbe* probe = nullptr;  ///< of the formed J; null: it is exact
  bool zero_columns_hold = true;         ///< as ForwardStep has it
  std::function<Underflow()> underflow;  ///< asked once the spectrum is known; empty: none
};

/// J as it left the blocks, one block a layer, with nothing around it. What the step refers to must outlive
/// the result.
ReportedJacobian reported(const ForwardStep& step, const ScaledVector& start);

/// Spectrum (if asked for), norms, errors and metrics of J = ∂x_L/∂x_0 at one depth. Of a J that is not
/// formed, whatever needs its entries is not there. seed: of start vectors. No result depends on `workers`.
DepthResult observe(const ReportedJacobian& seen, const AnalysisOptions& options, std::uint64_t seed,
                    int workers = 1);

/// What checks look at.
struct CheckObservation {
  const DepthResult* result = nullptr;
  const std::vector<BlockFacts>* blocks = nullptr;
};

/// What one block does to the identity, as the forward pass meets it.
BlockFacts block_facts(const BlockStep& step);

/// Adds what the backward pass tells: whether the parameter that switches a branch off receives a gradient.
void add_gradient_facts(BlockFacts& facts, const ScaledReal& gate_gradient,
                        const ScaledReal& last_weight_gradient);

}  // namespace rezero
