#pragma once
/// What a product spectrum has to pass before it is published.

#include <string>

#include "rezero/spectrum/product.h"

namespace rezero::detail {

/// Why the values of J = A_L … A_1 cannot be published; empty when they pass: the iteration converged; as
/// many values as there should be, finite, not negative, descending; where J is square and has no zero, their
/// product is |det J| as the pivots of the sweep the other way have it, within 8 n times the error estimate
/// (and eps); some value is determined, unless all are proved zeros; and ‖σ‖₂ = ‖J‖_F of the formed J, if
/// given, to half of the digits and what forming it lost, which catches a wrong top. Cost n², without J n.
std::string product_fault(const ProductValues& values, Index dimension, const JacobianView& J);

}  // namespace rezero::detail
