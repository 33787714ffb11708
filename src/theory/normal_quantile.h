#pragma once
/// The inverse of the standard normal distribution function.

#include "rezero/core/types.h"

namespace rezero::theory::detail {

/// z with Φ(z) = p, 0 < p < 1, to 1e-14 relative to max(1, |z|) (for p near 1 as exactly as p determines it):
/// the start of Abramowitz & Stegun 26.2.23, improved by Halley's iteration on erfc.
Real normal_quantile(Real p);

}  // namespace rezero::theory::detail
