#pragma once
/// Properties of a spectrum that follow from the pattern of zeros alone.

#include <optional>

#include "rezero/core/types.h"

namespace rezero::detail {

/// A without its zero rows and columns, or nothing if it has none. The values missing from its spectrum
/// (min(rows, cols) before, less min(rows, cols) after) are exact zeros, max(zero columns − max(0, cols −
/// rows), zero rows − max(0, rows − cols)) of them. Cost: reads A once.
std::optional<Matrix> without_zero_lines(const Matrix& A);

}  // namespace rezero::detail
