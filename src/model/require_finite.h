#pragma once
/// Numbers that left the range of double, or are NaN.

#include "rezero/model/block.h"

namespace rezero {

/// NumericalError that names the block and the likely cause if its branch or the following state, linearized
/// at x, is not finite.
void require_finite(Index l, const Block& block, const Vector& x, const BlockLinearization& at);
/// The same for the following state alone.
void require_finite(Index l, const Block& block, const Vector& x, const Vector& state);

}  // namespace rezero
