#pragma once
/// Names and versions of the formats. A number changes when a key is removed or its meaning changes, not when
/// one is added.

#include <string_view>

#include "rezero/report/context.h"

namespace rezero::detail {

constexpr std::string_view report_format = "rezero-analyze/report/1";
constexpr std::string_view verdict_format = "rezero-analyze/verdict/1";

constexpr std::string_view format_of(ReportKind kind) {
  return kind == ReportKind::report ? report_format : verdict_format;
}

}  // namespace rezero::detail
