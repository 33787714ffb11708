#pragma once
/// Ranges of real numbers by decimal arithmetic, so that 0:1:0.1 is 0, 0.1, 0.2, 0.3, …: the doubles that a
/// person would write.

#include <cstddef>
#include <vector>

#include "rezero/core/types.h"

namespace rezero::detail {

/// first + k·step for k = 0, 1, … up to last. Each number stands for its shortest decimal text; the sum of
/// these is exact, and is rounded once. A point that misses `last` by no more than the rounding of the
/// numbers given (half a unit in the last place of each, k halves of the step's) is `last`:
/// 0:1:0.3333333333333333 ends at 1. Each number once. Requires first ≤ last and step > 0; more than `most`
/// numbers give an empty list before anything is computed.
std::vector<Real> arithmetic_range(Real first, Real last, Real step, std::size_t most);

/// first·factor^k likewise. The product keeps at least 100 decimal digits (it is exact until then). Requires
/// 0 < first ≤ last and factor > 1.
std::vector<Real> geometric_range(Real first, Real last, Real factor, std::size_t most);

}  // namespace rezero::detail
