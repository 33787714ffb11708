#pragma once
/// Arrays of a row: singular values and the profile, written number by number.

#include "report/json_writer.h"

namespace rezero::detail {

/// singular_values or log10_singular_values (or neither), `spectrum`, and `density` if present.
void spectrum_members(JsonWriter& json, const Spectrum& spectrum, ValuesMode mode);
/// `profile`.
void profile_member(JsonWriter& json, const Profile& profile);

}  // namespace rezero::detail
