#pragma once
/// Numbers and labels as people read them, in tables.

#include <optional>
#include <string>
#include <string_view>

#include "rezero/analysis/result.h"
#include "rezero/core/text.h"

namespace rezero::detail {

/// Four significant digits: `1` for exactly 1, `1.000` for nearly 1, `1.23e-8` outside [1e-3, 1e5).
std::string short_number(Real value);
/// 10^log10 in the same format, for any size.
std::string short_power(Real log10);
/// `7.17(12)` for 7.17 ± 0.12: the digits in parentheses count in units of the last place.
std::string uncertain_number(Real mean, std::optional<Real> standard_error);

/// `rezero:alpha=0.1`, or the stack's file name.
std::string source_text(const CellLabels& labels);
/// `rezero depth 8 seed 0`, `step_20.onnx depth 6 sample 3`.
std::string place_text(const CellLabels& labels, Index depth);

}  // namespace rezero::detail
