#pragma once
/// The program's name, version and build, as reports and --version tell them.

#include <string>

#include "rezero/report/context.h"

namespace rezero::cli {

ToolInfo tool_info();
std::string version_text();  ///< the lines of --version

}  // namespace rezero::cli
