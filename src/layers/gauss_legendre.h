#pragma once
/// The Gauss–Legendre rule of order 20, shared by everything that integrates over smooth panels.

#include "rezero/core/types.h"

namespace rezero::detail {

/// ∫₀¹ f ≈ Σ weight_i f(node_i), exact for polynomials of degree 39. Nodes ascend and mirror each other:
/// node_i + node_(19−i) = 1.
struct UnitRule {
  Vector node, weight;
};

const UnitRule& gauss_legendre();

}  // namespace rezero::detail
