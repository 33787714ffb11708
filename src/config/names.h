#pragma once
/// Resolves words that options may have as values. UsageError with a suggestion otherwise.

#include <string_view>

#include "rezero/analysis/plan.h"

namespace rezero::detail {

/// `auto`, or the registry name of a spectrum method.
std::string_view spectrum_method_name(std::string_view word);

/// `normal`, `sphere`, `ones`; InputLaw::values for a text that ends in .npy or .pb.
InputLaw input_law(std::string_view text);

}  // namespace rezero::detail
