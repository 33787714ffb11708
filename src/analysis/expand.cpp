#include <algorithm>

#include "rezero/analysis/cell.h"
#include "rezero/core/contract.h"

namespace rezero {
namespace {

CellLabels labels_of(const StackSpec& spec, const Geometry& geometry, std::uint64_t seed) {
  CellLabels labels;
  static_cast<GeometryLabels&>(labels) = geometry.labels();
  labels.dimension = geometry.shape().size();
  labels.scheme = spec.scheme;
  labels.family = spec.family->name;
  labels.activation = spec.family->uses_activation() ? spec.activation.canonical() : "";
  labels.init = spec.initializer.canonical();
  labels.seed = seed;
  return labels;
}

CellLabels labels_of(const Checkpoint& checkpoint) {
  CellLabels labels;
  labels.stack = checkpoint.file.path;
  static_cast<GeometryLabels&>(labels) = checkpoint.stack->geometry().labels();
  labels.dimension = checkpoint.stack->shape().size();
  labels.seeded = false;
  return labels;
}

/// Checkpoint c of a plan at sample s.
Cell cell_of(const SweepPlan& plan, std::size_t c, std::size_t s, std::size_t index) {
  const std::vector<Checkpoint>& checkpoints = plan.stack->checkpoints;
  const Checkpoint& checkpoint = checkpoints[c];
  CellLabels labels = labels_of(checkpoint);
  if (checkpoints.size() > 1) labels.checkpoint = static_cast<Index>(c);
  if (!checkpoint.samples) return {checkpoint.stack, plan.depths, plan.analysis, std::move(labels), index};
  labels.sample = static_cast<Index>(s);
  return {with_input(checkpoint.stack, (*checkpoint.samples)[*labels.sample]), plan.depths, plan.analysis,
          std::move(labels), index};
}

/// One pass gives all depths of a scheme that ignores the total depth, and of a net whose stages fix it;
/// otherwise every depth is a separate stack.
bool one_pass(const SweepPlan& plan, const SchemeSpec& scheme) {
  return !scheme.depends_on_depth() || plan.family->geometry->layers_are_fixed(plan);
}

/// Removes and returns the last digit of `number` in that base.
std::size_t take_digit(std::size_t& number, std::size_t base) {
  const std::size_t digit = number % base;
  number /= base;
  return digit;
}

}  // namespace

Cell::Cell(std::size_t place, const StackSpec& random, std::uint64_t seed, std::vector<Index> layers,
           const AnalysisOptions& options)
    : index(place), spec(random), geometry(random.geometry()), depths(std::move(layers)) {
  labels = labels_of(random, *geometry, seed);
  route = route_of(*geometry, depths, options);
}

Cell::Cell(StackPtr given, std::vector<Index> layers, const AnalysisOptions& options, CellLabels names,
           std::size_t place)
    : index(place),
      labels(std::move(names)),
      stack(std::move(given)),
      geometry(stack, &stack->geometry()),
      depths(std::move(layers)) {
  route = route_of(*geometry, depths, options);
}

CellList::CellList(const SweepPlan& plan) : plan_(&plan), rows_(plan.depths.size()) {
  if (plan.stack) {
    kinds_ = plan.stack->checkpoints.size();
    seeds_ = static_cast<std::size_t>(std::max<Index>(plan.stack->samples(), 1));
    rows_ = kinds_ * seeds_ * plan.depths.size();
    return;
  }
  seeds_ = plan.seeds.size(), kinds_ = 0, rows_ = 0;
  for (const SchemeSpec& scheme : plan.schemes) {
    Part part{initializers_of(plan, scheme), kinds_, one_pass(plan, scheme) ? 1 : plan.depths.size()};
    const std::size_t specs = plan.widths.size() * plan.activations.size() * part.initializers.size();
    kinds_ += specs * part.stacks_per_seed;
    rows_ += specs * seeds_ * plan.depths.size();
    parts_.push_back(std::move(part));
  }
}

std::size_t CellList::part_of(std::size_t kind) const {
  const auto next = std::upper_bound(parts_.begin(), parts_.end(), kind,
                                     [](std::size_t k, const Part& part) { return k < part.first_kind; });
  return static_cast<std::size_t>(next - parts_.begin()) - 1;
}

Cell CellList::operator[](std::size_t i) const {
  REZERO_REQUIRE(i < size());
  const AnalysisOptions& options = plan_->analysis;
  if (plan_->stack) return cell_of(*plan_, i / seeds_, i % seeds_, i);
  const std::size_t p = part_of(i / seeds_);
  const Part& part = parts_[p];
  std::size_t rest = i - part.first_kind * seeds_;
  const std::size_t depth = take_digit(rest, part.stacks_per_seed);
  const std::uint64_t seed = plan_->seeds[take_digit(rest, seeds_)];
  const Initializer& initializer = part.initializers[take_digit(rest, part.initializers.size())];
  const Activation& activation = plan_->activations[take_digit(rest, plan_->activations.size())];
  const StackSpec spec = stack_spec(*plan_, plan_->schemes[p], plan_->widths[rest], activation, initializer);
  if (part.stacks_per_seed == 1) return {i, spec, seed, plan_->depths, options};
  return {i, spec, seed, {plan_->depths[depth]}, options};
}

void CellList::for_each_kind(const std::function<void(const CellKind&)>& visit) const {
  for (std::size_t k = 0; plan_->stack && k < kinds_; ++k)
    visit({k * seeds_, nullptr, plan_->stack->checkpoints[k].stack->geometry(), plan_->depths});
  for (std::size_t p = 0; p < parts_.size(); ++p) for_each_kind(p, visit);
}

void CellList::for_each_kind(std::size_t p, const std::function<void(const CellKind&)>& visit) const {
  const Part& part = parts_[p];
  std::size_t first = part.first_kind * seeds_;
  std::vector<Index> single(1);
  StackSpec spec = stack_spec(*plan_, plan_->schemes[p], plan_->widths.front(), plan_->activations.front(),
                              part.initializers.front());
  const auto visit_spec = [&] {
    const RandomGeometryPtr geometry = spec.geometry();
    for (std::size_t d = 0; d < part.stacks_per_seed; ++d) {
      single.front() = plan_->depths[d];
      visit({first + d, &spec, *geometry, part.stacks_per_seed == 1 ? plan_->depths : single});
    }
    first += seeds_ * part.stacks_per_seed;
  };
  for (const Index width : plan_->widths)
    for (const Activation& activation : plan_->activations)
      for (const Initializer& initializer : part.initializers) {
        spec.width = width, spec.activation = activation, spec.initializer = initializer;
        visit_spec();
      }
}

CellList expand_cells(const SweepPlan& plan) {
  return CellList(plan);
}

}  // namespace rezero
