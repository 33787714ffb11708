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

/// What is known of a J beside its entries.
struct JacobianFacts {
  Index null_directions = 0;  ///< directions of its rows that structure proves to be out of reach (a layer
                              ///< norm at the end)
  FactorSource factors = {};  ///< for the methods that need them
  int workers = 1;
};

/// Spectrum (if asked for), norms, errors and metrics of J = ∂x_L/∂x_0 at one depth.
DepthResult observe(const ForwardStep& step, const ScaledVector& x0, const AnalysisOptions& options,
                    std::uint64_t seed, const JacobianFacts& facts = {});

/// J at one depth, known by its products.
struct ProductStep {
  Index depth;
  const JacobianView& jacobian;
  const ScaledVector& state;
  std::function<Underflow()> underflow;  ///< asked when the products are done
};

/// The same of a J that is not formed: what needs ‖J‖_F or entries of J is not there.
DepthResult observe_by_products(const ProductStep& step, const ScaledVector& x0,
                                const AnalysisOptions& options, std::uint64_t seed, int workers = 1);

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
