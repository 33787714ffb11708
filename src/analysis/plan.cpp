#include "rezero/analysis/plan.h"

#include <unordered_set>

#include "rezero/core/contract.h"

namespace rezero {

StackSpec stack_spec(const SweepPlan& plan, const SchemeSpec& scheme, Index width,
                     const Activation& activation, const Initializer& initializer) {
  StackSpec spec(scheme, *plan.family, activation, initializer);
  static_cast<GeometryOptions&>(spec) = plan;
  spec.width = width;
  spec.hidden_ratio = plan.hidden_ratio;
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
  std::unordered_set<std::string> known;
  const auto add = [&](const std::vector<Initializer>& some) {
    for (const Initializer& init : some)
      if (known.insert(init.canonical()).second) all.push_back(init);
  };
  if (!plan.initializers.empty())
    add(plan.initializers);
  else
    for (const SchemeSpec& scheme : plan.schemes) add(initializers_of(plan, scheme));
  return all;
}

}  // namespace rezero
