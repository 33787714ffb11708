#pragma once
/// Which singular values a report shows, and the one word that says why some are null.

#include <optional>
#include <string_view>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero::detail {

/// How a value appears: as a number, as null (below the method's resolution), or as an exact zero.
enum class ValueState { resolved, unresolved, zero };

/// The i-th value of the spectrum. Zeros are those that structure proves: the last `null_directions`.
ValueState value_state(const Spectrum& spectrum, std::size_t i);

/// The i-th value as a report writes it in that mode; nothing: null.
std::optional<Real> published_value(const Spectrum& spectrum, std::size_t i, ValuesMode mode);

/// Resolved values that no normal double can hold: null under `--values linear`.
Index out_of_range_values(const Spectrum& spectrum);

/// ok, unresolved, out_of_range, partial or breakdown: the gravest that applies (docs/schema.md).
std::string_view row_status(const Spectrum& spectrum, ValuesMode mode);

/// All words that row_status can give, mildest first.
const std::vector<std::string_view>& row_status_words();

}  // namespace rezero::detail
