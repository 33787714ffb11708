#pragma once
/// Numbers that left the range of double, or never had a value.

#include "rezero/model/block.h"

namespace rezero {

/// NumericalError that names the block and what may be the cause if its branch or the state behind it is not
/// finite.
void require_finite(Index block, const BlockParts& parts, const BlockLinearization& at);
/// The same of a state alone.
void require_finite(Index block, const BlockParts& parts, const Vector& state);

}  // namespace rezero
