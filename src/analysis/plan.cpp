#include "rezero/analysis/plan.h"

#include <algorithm>

#include "rezero/core/contract.h"

namespace rezero {

std::vector<Initializer> initializers_of(const SweepPlan& plan, const SchemeSpec& scheme) {
  if (!plan.initializers.empty()) return plan.initializers;
  std::string_view own;
  if (plan.family->has_attention()) own = scheme.scheme().init;
  if (plan.family->is_conv()) own = scheme.scheme().conv.init;
  return {Initializer(parse_named_spec(own.empty() ? "he" : own))};
}

std::vector<Initializer> distinct_initializers(const SweepPlan& plan) {
  std::vector<Initializer> all;
  for (const SchemeSpec& scheme : plan.schemes)
    for (const Initializer& init : initializers_of(plan, scheme)) {
      const auto same = [&](const Initializer& known) { return known.canonical() == init.canonical(); };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(init);
    }
  return all;
}

}  // namespace rezero
