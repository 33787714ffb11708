#pragma once
/// The format of each kind of report.

#include <string_view>

#include "analysis/format_names.h"
#include "rezero/report/context.h"

namespace rezero::detail {

constexpr std::string_view format_of(ReportKind kind) {
  return kind == ReportKind::report ? report_format : verdict_format;
}

}  // namespace rezero::detail
