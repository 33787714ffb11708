#pragma once
/// The program's name, version and build, for reports and --version.

#include <string>

#include "rezero/report/context.h"

namespace rezero::cli {

ToolInfo tool_info();
std::string version_text();  ///< the lines of --version

}  // namespace rezero::cli
