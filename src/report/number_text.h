#pragma once
/// Numbers and labels as people read them, in tables.

#include <optional>
#include <string>
#include <string_view>

#include "rezero/core/text.h"
#include "rezero/core/types.h"

namespace rezero::detail {

/// Four significant digits: `1` for exactly 1, `1.000` for nearly 1, `1.23e-8` outside [1e-3, 1e5).
std::string short_number(Real value);
/// 10^log10 in the same format, for any size.
std::string short_power(Real log10);
/// `7.17(12)` for 7.17 ± 0.12: the digits in parentheses count in units of the last place.
std::string uncertain_number(Real mean, std::optional<Real> standard_error);

/// At most that many significant digits, or the exact text if it is no longer.
std::string general_number(Real value, int digits);

}  // namespace rezero::detail
