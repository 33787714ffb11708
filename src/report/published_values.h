#pragma once
/// The singular values that a report shows, and the word that explains why some are null.

#include <optional>
#include <string_view>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero {

/// The status of a row, mildest first (docs/schema.md).
enum class RowStatus { ok, unresolved, out_of_range, partial, breakdown };
template <>
inline constexpr auto words<RowStatus> = closed_set<RowStatus>("status",
                                                               {{RowStatus::ok, "ok"},
                                                                {RowStatus::unresolved, "unresolved"},
                                                                {RowStatus::out_of_range, "out_of_range"},
                                                                {RowStatus::partial, "partial"},
                                                                {RowStatus::breakdown, "breakdown"}});

}  // namespace rezero

namespace rezero::detail {

/// How a value appears: as a number, as null (below the method's resolution), or as an exact zero.
enum class ValueState { resolved, unresolved, zero };

/// The i-th value of the spectrum. Zeros are those proved by structure: the last `null_directions`.
ValueState value_state(const Spectrum& spectrum, std::size_t i);

/// The i-th value as a report writes it in that mode; absent: null.
std::optional<Real> published_value(const Spectrum& spectrum, std::size_t i, ValuesMode mode);

/// Number of resolved values outside the range of normal doubles: null under `--values linear`.
Index out_of_range_values(const Spectrum& spectrum);

/// The most serious status that applies.
RowStatus row_status(const Spectrum& spectrum, ValuesMode mode);

}  // namespace rezero::detail
