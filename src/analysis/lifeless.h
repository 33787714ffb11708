#pragma once
/// Branches that contribute nothing although their parameters would allow it.

#include "rezero/analysis/observe.h"

namespace rezero::detail {

/// Set if the branch or its derivative is zero at this input although neither a weight nor a norm's weight is
/// zero. Cost: a linearization of the branch, and one column through it.
std::optional<Culprit> lifeless_branch(const BlockStep& step);

}  // namespace rezero::detail
