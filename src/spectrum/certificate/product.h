#pragma once
/// The requirements for publishing a product spectrum.

#include <string>

#include "rezero/spectrum/product.h"

namespace rezero::detail {

/// Why the values of J = A_L … A_1 cannot be published; empty if they pass. Requirements: the iteration
/// converged; the number of values is correct, and they are finite, non-negative and descending; if J is
/// square and has no zero, their product is |det J| from the pivots of the sweep in the other direction,
/// within 8 n times the error estimate (and eps); some value is determined, unless all are proved zeros; and
/// ‖σ‖₂ = ‖J‖_F of the formed J, if given, to half of the digits and within the error of forming it, which
/// catches a wrong top. Cost n², without J n.
std::string product_fault(const ProductValues& values, Index dimension, const JacobianView& J);

}  // namespace rezero::detail
