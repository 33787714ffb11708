#pragma once
/// From options to a complete plan, and back to JSON.

#include <functional>
#include <string>
#include <string_view>

#include "rezero/analysis/plan.h"
#include "rezero/config/plan_options.h"

namespace rezero {

enum class PlanUse {
  analysis,  ///< `check` is ignored
  verify,    ///< `values`, `profile`, `top` and `bottom` are ignored
};

/// Access to the outside world, as far as plans need it.
struct ResolveContext {
  PlanUse use = PlanUse::analysis;
  /// Reads a --stack file; empty: parse_stack_file.
  std::function<StackPtr(std::string bytes, const std::string& path)> read_stack = {};
  /// Reads any file; empty: read_file.
  std::function<std::string(const std::string& path)> read_file = {};
  /// Called before that much memory is allocated for a file; throws MemoryError to refuse. Empty: nothing is
  /// refused.
  std::function<void(Real bytes, const std::string& path)> require_memory = {};
};

/// Resolves every name, expands patterns of files, reads every file, and fills in the defaults stated in
/// help. A stack file has its own input unless `input` is given, and its own depth (all blocks). If a scheme
/// reads a series (rezero:alphas=FILE), its length is the default depth. verify has no default scheme.
///
/// UsageError: unknown names, options that contradict each other (the message names both), counts that do not
/// fit. IoError: files that cannot be read, or that differ from those of the plan file.
SweepPlan resolve_plan(const PlanOptions& options, const ResolveContext& context);

/// The inverse: every option for which the plan has a value, and the hashes of the files read.
PlanOptions plan_as_options(const SweepPlan& plan);

/// The complete plan as one JSON object. Reading it with plan_options_from_json and resolving it for the same
/// use gives the same plan. `indent` < 0: on one line.
std::string plan_json(const SweepPlan& plan, int indent = -1);

}  // namespace rezero
