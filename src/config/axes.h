#pragma once
/// The axes of a sweep over random stacks.

#include "config/plan_files.h"
#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Fills in everything that defines the stacks; leaves the plan's `analysis` unchanged.
void resolve_random_stacks(SweepPlan& plan, const PlanOptions& options, PlanUse use, PlanFiles& files);

/// The inverse: the options that give these stacks.
void describe_random_stacks(const SweepPlan& plan, PlanOptions& options);

/// The canonical text of each entry.
template <class T>
std::vector<std::string> canonical_names(const std::vector<T>& entries) {
  std::vector<std::string> names;
  for (const T& entry : entries) names.push_back(entry.canonical());
  return names;
}

/// 2^53: sizes up to here are exact as doubles, and no product of two that fit overflows an integer.
constexpr Real most_numbers = 9007199254740992.0;
/// UsageError, naming the relevant options, if a state of one of the widths has more numbers than that.
void require_countable(const std::vector<Index>& widths, Real positions, std::string_view options);

/// UsageError if a plan asks for more rows than a report may have. `axes`: what was multiplied.
void require_few_rows(Real rows, std::string_view axes);

/// Ascending, each once.
std::vector<Index> ascending(std::vector<Index> values);

}  // namespace rezero::detail
