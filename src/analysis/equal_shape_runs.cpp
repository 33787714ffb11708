#include "analysis/equal_shape_runs.h"

#include <algorithm>
#include <string>

#include "model/require_finite.h"
#include "rezero/core/error.h"

namespace rezero::detail {
namespace {

struct Run {
  Index first, count;
  Vector input;
};

bool changes_shape_at(const Geometry& geometry, Index block) {
  return geometry.shape_after(block) != geometry.shape_after(block + 1);
}

/// The runs within the first `depth` blocks, each with its initial state.
std::vector<Run> runs_of(const Stack& stack, Index depth) {
  std::vector<Run> runs;
  Vector x = stack.input();
  bool open = false;
  for (Index l = 0; l < depth; ++l) {
    const bool changes = changes_shape_at(stack.geometry(), l);
    if (!changes && !open) runs.push_back({l, 0, x});
    if (!changes) ++runs.back().count;
    open = !changes;
    const BlockPtr block = stack.block(l);
    Vector next = block->evaluate(x);
    if (changes) require_finite(l, *block, x, next);
    x = std::move(next);
  }
  return runs;
}

std::string unchecked_blocks(const Stack& stack, Index depth) {
  std::string list;
  for (Index l = 0; l < depth; ++l)
    if (changes_shape_at(stack.geometry(), l)) list += (list.empty() ? "" : ", ") + std::to_string(l);
  return list.empty() ? list : "blocks of equal shape only; not checked: " + list;
}

/// The verdict of the same check on no run at all.
CheckResult nothing_yet(const CheckResult& check) {
  CheckResult whole;
  whole.check = check.check, whole.bound = check.bound, whole.quantity = check.quantity;
  whole.warning = check.warning, whole.counts = check.counts;
  whole.pass = true;
  return whole;
}

/// The verdict where every block changes the shape.
CheckResult nothing_to_check(const CheckSpec& spec) {
  CheckResult whole;
  whole.check = spec.canonical();
  whole.pass = true;
  return whole;
}

/// Adds one run to the verdict on the whole stack. The worst value wins; blocks count from the start of the
/// stack.
void merge(CheckResult& whole, CheckResult part, Index first) {
  for (Culprit& culprit : part.culprits) {
    culprit.block += first;
    constexpr std::size_t listed = 10;
    if (whole.culprits.size() < listed) whole.culprits.push_back(std::move(culprit));
  }
  whole.culprit_count += part.culprit_count;
  if (part.counts) {
    whole.value = ScaledReal::make(static_cast<Real>(whole.culprit_count));
  } else if (!whole.value || whole.value < part.value) {
    whole.value = part.value;
    whole.quantity = part.quantity;
  }
  if (whole.message.empty()) whole.message = part.message;
  whole.pass = whole.pass && part.pass;
}

}  // namespace

bool changes_shape(const Cell& cell) {
  const Geometry& geometry = *cell.geometry;
  if (!geometry.checked_by_runs()) return false;
  const Index blocks = geometry.layers(cell.depths.back()) * geometry.blocks_per_layer();
  for (Index l = 0; l < blocks; ++l)
    if (changes_shape_at(geometry, l)) return true;
  return false;
}

void check_runs(const Cell& cell, const AnalysisOptions& options,
                const std::function<CellResult(const Cell&)>& check, const PartVisitor& visit) {
  const StackPtr stack =
      cell.stack ? cell.stack : build_stack(*cell.spec, cell.labels.seed, cell.depths.back());
  for (const Index depth : cell.depths) {
    DepthResult merged;
    merged.depth = merged.blocks = depth;
    merged.rows = stack->shape_after(depth).size(), merged.cols = stack->shape().size();
    try {
      for (Run& run : runs_of(*stack, depth)) {
        const StackPtr slice = slice_stack(stack, run.first, run.count, std::move(run.input));
        CellResult seen = check(Cell(slice, {run.count}, options, cell.labels, cell.index));
        for (CellFailure& failure : seen.failures) throw NumericalError(failure.message);
        DepthResult& last = seen.depths.back();
        if (merged.checks.empty()) {
          merged.checks.resize(last.checks.size());
          for (std::size_t i = 0; i < last.checks.size(); ++i) merged.checks[i] = nothing_yet(last.checks[i]);
        }
        for (std::size_t i = 0; i < last.checks.size(); ++i)
          merge(merged.checks[i], std::move(last.checks[i]), run.first);
      }
    } catch (const NumericalError& error) {
      visit({cell.index, cell.labels, {}, {{depth, "numerical", error.what()}}});
      continue;
    }
    const std::string unchecked = unchecked_blocks(*stack, depth);
    if (merged.checks.empty())
      for (const CheckSpec& spec : options.checks) merged.checks.push_back(nothing_to_check(spec));
    for (CheckResult& one : merged.checks)
      one.message += (one.message.empty() || unchecked.empty() ? "" : "; ") + unchecked;
    visit({cell.index, cell.labels, {std::move(merged)}, {}});
  }
}

}  // namespace rezero::detail
