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
  if (spec.family->uses_activation()) {
    labels.activation = spec.activation.canonical();
    labels.activation_params = spec.activation.params();
  }
  labels.init = spec.initializer.canonical();
  labels.init_params = spec.initializer.params();
  labels.seed = seed;
  return labels;
}

CellLabels labels_of(const StackFile& file) {
  CellLabels labels;
  labels.stack = file.file.path;
  static_cast<GeometryLabels&>(labels) = file.stack->geometry().labels();
  labels.dimension = file.stack->shape().size();
  labels.seeded = false;
  return labels;
}

/// File c of a plan at sample s.
Cell cell_of(const SweepPlan& plan, std::size_t c, std::size_t s, std::size_t index) {
  const std::vector<StackFile>& files = plan.stack->files;
  const StackFile& file = files[c];
  CellLabels labels = labels_of(file);
  if (files.size() > 1) labels.checkpoint = static_cast<Index>(c);
  StackPtr stack = file.stack;
  if (file.samples) {
    labels.sample = static_cast<Index>(s);
    stack = with_input(std::move(stack), (*file.samples)[*labels.sample]);
  }
  Cell cell(std::move(stack), plan.depths, plan.analysis, std::move(labels), index);
  cell.recipe = file.recipe;
  return cell;
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
    kinds_ = plan.stack->files.size();
    seeds_ = static_cast<std::size_t>(std::max<Index>(plan.stack->samples(), 1));
    rows_ = kinds_ * seeds_ * plan.depths.size();
    return;
  }
  seeds_ = plan.seeds.size(), kinds_ = 0, rows_ = 0;
  const std::size_t specs = plan.widths.size() * plan.activations.size() * initializer_count(plan);
  std::size_t s = 0;
  for (const SchemeSpec& scheme : plan.schemes) {
    const std::size_t stacks = one_pass(plan, scheme) ? 1 : plan.depths.size();
    if (parts_.empty() || parts_.back().stacks_per_seed != stacks) parts_.push_back({s, kinds_, stacks});
    kinds_ += specs * stacks;
    rows_ += specs * seeds_ * plan.depths.size();
    ++s;
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
  const Part& part = parts_[part_of(i / seeds_)];
  std::size_t rest = i - part.first_kind * seeds_;
  const std::size_t depth = take_digit(rest, part.stacks_per_seed);
  const std::uint64_t seed = plan_->seeds[take_digit(rest, seeds_)];
  const std::size_t initializer = take_digit(rest, initializer_count(*plan_));
  const std::size_t activation = take_digit(rest, plan_->activations.size());
  const Index width = plan_->widths[take_digit(rest, plan_->widths.size())];
  const SchemeSpec scheme = plan_->schemes[part.first_scheme + rest];
  const StackSpec spec = stack_spec(*plan_, scheme, width, plan_->activations[activation],
                                    initializer_of(*plan_, scheme, initializer));
  if (part.stacks_per_seed == 1) return {i, spec, seed, plan_->depths, options};
  return {i, spec, seed, {plan_->depths[depth]}, options};
}

void CellList::for_each_kind(const std::function<void(const CellKind&)>& visit) const {
  for (std::size_t k = 0; plan_->stack && k < kinds_; ++k)
    visit({k * seeds_, nullptr, plan_->stack->files[k].stack->geometry(), plan_->depths});
  std::size_t first_cell = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::size_t end = p + 1 < parts_.size() ? parts_[p + 1].first_scheme : plan_->schemes.size();
    for (std::size_t s = parts_[p].first_scheme; s < end; ++s)
      for_each_kind(plan_->schemes[s], parts_[p].stacks_per_seed, first_cell, visit);
  }
}

void CellList::for_each_kind(const SchemeSpec& scheme, std::size_t stacks_per_seed, std::size_t& first_cell,
                             const std::function<void(const CellKind&)>& visit) const {
  std::vector<Index> single(1);
  StackSpec spec = stack_spec(*plan_, scheme, plan_->widths.front(), plan_->activations.front(),
                              initializer_of(*plan_, scheme));
  const auto visit_spec = [&] {
    const RandomGeometryPtr geometry = spec.geometry();
    for (std::size_t d = 0; d < stacks_per_seed; ++d) {
      single.front() = plan_->depths[d];
      visit({first_cell + d, &spec, *geometry, stacks_per_seed == 1 ? plan_->depths : single});
    }
    first_cell += seeds_ * stacks_per_seed;
  };
  for (const Index width : plan_->widths)
    for (const Activation& activation : plan_->activations)
      for (std::size_t i = 0; i < initializer_count(*plan_); ++i) {
        spec.width = width, spec.activation = activation;
        spec.initializer = initializer_of(*plan_, scheme, i);
        visit_spec();
      }
}

CellList expand_cells(const SweepPlan& plan) {
  return CellList(plan);
}

}  // namespace rezero
