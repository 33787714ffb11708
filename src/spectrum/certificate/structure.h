#pragma once
/// What the pattern of zeros alone proves about a spectrum.

#include <optional>

#include "rezero/core/types.h"

namespace rezero::detail {

/// A without its rows and columns of zeros, or nothing if it has none. The values left out of its spectrum,
/// min(rows, cols) before less min(rows, cols) after, are exact zeros: max(zero columns − max(0, cols −
/// rows), zero rows − max(0, rows − cols)) of them. Cost: reads A once.
std::optional<Matrix> without_zero_lines(const Matrix& A);

}  // namespace rezero::detail
