#pragma once
/// The Gauss–Legendre rule of order 20, shared by everything that integrates over smooth panels.

#include "rezero/core/types.h"

namespace rezero::detail {

/// ∫₀¹ f ≈ Σ weight_i f(node_i), exact for polynomials of degree 39. Nodes descend.
struct UnitRule {
  Vector node, weight;
};

const UnitRule& gauss_legendre();

}  // namespace rezero::detail
