#pragma once
/// Names and versions of the result formats. `report` writes them, and `config` reads the plans they contain.
/// A number changes when a key is removed or its meaning changes, not when one is added.

#include <string_view>

namespace rezero::detail {

constexpr std::string_view report_format = "rezero-analyze/report/1";
constexpr std::string_view verdict_format = "rezero-analyze/verdict/1";

}  // namespace rezero::detail
