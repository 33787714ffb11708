#pragma once
/// NAME[:param=LIST]…: the notation of named_spec.h where a number may be a list of numbers.

#include <functional>
#include <string>
#include <string_view>

#include "rezero/core/named_spec.h"

namespace rezero {

/// Splits `name:a=0:1:0.1:b=1,2`. A part without '=' that looks like a number, or like a factor (`x2`),
/// continues the value before it. UsageError as parse_named_spec, which refuses such a part.
NamedSpec parse_swept_spec(std::string_view text);

/// Whether a text begins as a number does: with a digit, sign or point, or as a word for a number that is not
/// finite. No registered name does.
bool begins_like_number(std::string_view text);

/// `name:param=text…` with `text_of(value)` for each parameter; null for one to be left out.
std::string canonical_spec(std::string_view name, const Params& params,
                           const std::function<const std::string*(const ParamValue&)>& text_of);

}  // namespace rezero
