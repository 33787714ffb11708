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
  const SchemeSpec scheme = plan.schemes.front();
  return stack_spec(plan, scheme, width, plan.activations.front(), initializer_of(plan, scheme)).geometry();
}

Axis<Initializer> initializers_of(const SweepPlan& plan, const SchemeSpec& scheme) {
  if (!plan.initializers.empty()) return plan.initializers;
  return {base_initializer(scheme, *plan.family)};
}

std::size_t initializer_count(const SweepPlan& plan) {
  return plan.initializers.empty() ? 1 : plan.initializers.size();
}

Initializer initializer_of(const SweepPlan& plan, const SchemeSpec& scheme, std::size_t i) {
  REZERO_REQUIRE(i < initializer_count(plan));
  return plan.initializers.empty() ? base_initializer(scheme, *plan.family) : plan.initializers[i];
}

Axis<Initializer> distinct_initializers(const SweepPlan& plan) {
  if (!plan.initializers.empty()) return plan.initializers;
  Axis<Initializer> all;
  std::unordered_set<std::string> known;
  for (const AxisEntry<SchemeSpec>& entry : plan.schemes.entries()) {
    const Initializer init = base_initializer(entry.base(), *plan.family);
    if (known.insert(init.canonical()).second) all.emplace_back(init);
  }
  return all;
}

}  // namespace rezero
