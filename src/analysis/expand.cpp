#include "rezero/analysis/sweep.h"

namespace rezero {
namespace {

CellLabels labels_of(const StackSpec& spec, std::uint64_t seed) {
  CellLabels labels;
  labels.scheme = spec.scheme;
  labels.family = spec.family->name;
  labels.activation = spec.family->uses_activation() ? spec.activation.canonical() : "";
  labels.init = spec.initializer.canonical();
  labels.width = spec.width;
  if (spec.family->is_conv()) {
    labels.order = to_string(spec.conv_order());
    const NormSpec norm = spec.conv_norm();
    labels.norm = norm ? norm.kind->name : "none";
  } else {
    labels.tokens = spec.tokens.tokens;
  }
  labels.dimension = spec.shape().size();
  labels.seed = seed;
  return labels;
}

/// One pass gives all depths of a scheme that ignores the total depth, and of a net whose stages fix it; else
/// every depth is a stack of its own.
void add_cells(std::vector<Cell>& cells, const StackSpec& spec, std::uint64_t seed,
               const std::vector<Index>& depths) {
  const auto add = [&](std::vector<Index> wanted) {
    cells.push_back({cells.size(), labels_of(spec, seed), spec, nullptr, std::move(wanted)});
  };
  if (!spec.scheme.depends_on_depth() || spec.conv.staged()) return add(depths);
  for (Index depth : depths) add({depth});
}

}  // namespace

std::vector<Cell> expand_cells(const SweepPlan& plan) {
  std::vector<Cell> cells;
  if (plan.stack) {
    CellLabels labels;
    labels.stack = plan.stack->file.path;
    labels.width = plan.stack->stack->shape().features;
    labels.tokens = plan.stack->stack->shape().positions;
    labels.dimension = plan.stack->stack->shape().size();
    labels.seeded = false;
    cells.push_back({0, std::move(labels), std::nullopt, plan.stack->stack, plan.depths});
    return cells;
  }
  for (const SchemeSpec& scheme : plan.schemes)
    for (Index width : plan.widths)
      for (const Activation& activation : plan.activations)
        for (const Initializer& initializer : initializers_of(plan, scheme))
          for (std::uint64_t seed : plan.seeds)
            add_cells(cells,
                      {scheme, plan.family, width, plan.hidden_ratio, activation, initializer, plan.tied,
                       plan.input, plan.tokens, plan.conv},
                      seed, plan.depths);
  return cells;
}

}  // namespace rezero
