#pragma once
/// Numbers that left the range of double, or are NaN.

#include "rezero/model/block.h"

namespace rezero {

/// NumericalError that names the block and the likely cause if its branch or the following state is not
/// finite.
void require_finite(Index block, const BlockParts& parts, const BlockLinearization& at);
/// The same for a state alone.
void require_finite(Index block, const BlockParts& parts, const Vector& state);

}  // namespace rezero
