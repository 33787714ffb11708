#pragma once
/// Plans over files that exist only in memory.

#include <map>
#include <string>

#include "rezero/config/resolve.h"
#include "rezero/core/error.h"

namespace rezero::test {

/// A world with the given files; a .safetensors file is a residual stack of three blocks with four features.
struct World {
  std::map<std::string, std::string> files;

  ResolveContext context(PlanUse use = PlanUse::analysis) const {
    ResolveContext context;
    context.use = use;
    context.read_file = [this](const std::string& path) {
      const auto found = files.find(path);
      if (found == files.end()) throw IoError("no file '" + path + "'");
      return found->second;
    };
    context.read_stack = [](std::string_view, const std::string&) {
      StackSpec spec("residual", "mlp");
      spec.width = 4;
      return build_stack(spec, 0, 3);
    };
    return context;
  }

  SweepPlan plan(const PlanOptions& options, PlanUse use = PlanUse::analysis) const {
    return resolve_plan(options, context(use));
  }

  /// The message of the UsageError or IoError that the options give.
  template <class E = UsageError>
  std::string error(const PlanOptions& options, PlanUse use = PlanUse::analysis) const {
    try {
      plan(options, use);
    } catch (const E& problem) {
      return problem.what();
    }
    return "no error";
  }
};

}  // namespace rezero::test
