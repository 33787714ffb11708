#pragma once
/// Branches that contribute nothing although their parameters would let them.

#include "rezero/analysis/observe.h"

namespace rezero::detail {

/// Set where the branch or its derivative is zero at this input, and neither a weight nor a norm's weight is.
/// Costs a linearization of the branch and one column through it.
std::optional<Culprit> lifeless_branch(const BlockStep& step);

}  // namespace rezero::detail
