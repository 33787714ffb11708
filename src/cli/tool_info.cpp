#include "cli/tool_info.h"

#include "rezero_build_info.h"

namespace rezero::cli {

ToolInfo tool_info() {
  ToolInfo tool;
  tool.version = REZERO_VERSION;
  tool.git = REZERO_GIT_REVISION;
  tool.compiler = REZERO_COMPILER;
  tool.flags = REZERO_BUILD_FLAGS;
  tool.eigen = REZERO_EIGEN_VERSION;
  tool.spectra = REZERO_SPECTRA_VERSION;
  tool.blas = "none (Eigen)";
  return tool;
}

std::string version_text() {
  const ToolInfo tool = tool_info();
  return tool.name + " " + tool.version + " (" + tool.git + ")\n" + tool.compiler + ", " + tool.flags +
         ", Eigen " + tool.eigen + ", Spectra " + tool.spectra + "\n";
}

}  // namespace rezero::cli
