#include "rezero/analysis/plan.h"

#include <algorithm>

#include "rezero/core/contract.h"

namespace rezero {

StackSpec stack_spec(const SweepPlan& plan, const SchemeSpec& scheme, Index width,
                     const Activation& activation, const Initializer& initializer) {
  StackSpec spec(scheme, *plan.family);
  static_cast<GeometryOptions&>(spec) = plan;
  spec.width = width;
  spec.hidden_ratio = plan.hidden_ratio;
  spec.activation = activation;
  spec.initializer = initializer;
  spec.tied = plan.tied;
  spec.input = plan.input;
  return spec;
}

RandomGeometryPtr geometry_of(const SweepPlan& plan, Index width) {
  const SchemeSpec& scheme = plan.schemes.front();
  return stack_spec(plan, scheme, width, plan.activations.front(), initializers_of(plan, scheme).front())
      .geometry();
}

std::vector<Initializer> initializers_of(const SweepPlan& plan, const SchemeSpec& scheme) {
  if (!plan.initializers.empty()) return plan.initializers;
  return {base_initializer(scheme, *plan.family)};
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
