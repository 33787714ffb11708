/// Random cells beside the truth in extended precision: whatever is published as resolved is right to its
/// claim. REZERO_RANDOM_CELLS and REZERO_RANDOM_SEED choose other cells; tests/accuracy/random_cells.sh runs
/// many.

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "accuracy/judge.h"
#include "accuracy/random_cell.h"
#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"

namespace rezero::reference {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Tally {
  Index cells = 0, refused = 0, failed = 0, uncertified = 0, unsettled = 0, compared = 0, violations = 0;
};

/// One line that says all: which cell, what was claimed, what is true.
void report(std::uint64_t index, const RandomCell& cell, const Spectrum& spectrum, const Violation& v) {
  std::printf("violation: cell %" PRIu64 ", %s value %zu by %s: published %.16ge%+" PRId64
              ", true %.16ge%+" PRId64 " (powers of two), %.3g times the claim %s%.3g: %s\n",
              index, v.kind.c_str(), v.index, spectrum.method.c_str(), v.published.mantissa,
              v.published.exponent, v.truth.mantissa, v.truth.exponent, v.excess,
              spectrum.relative_error_estimate ? "of itself " : "of the largest ",
              spectrum.relative_error_estimate.value_or(spectrum.relative_resolution), cell.command.c_str());
}

class Sweep {
 public:
  void take(std::uint64_t index, const RandomCell& random) {
    ++tally.cells;
    try {
      const SweepPlan plan = resolved(random);
      for (const Cell& cell : expand_cells(plan)) judge(index, random, plan, cell);
    } catch (const UsageError&) {
      ++tally.refused;
    }
  }

  Tally tally;

 private:
  void judge(std::uint64_t index, const RandomCell& random, const SweepPlan& plan, const Cell& cell) {
    const CellResult result = run_cell(cell, plan.analysis, {});
    tally.failed += result.failures.empty() ? 0 : 1;
    for (const CellFailure& failure : result.failures)
      EXPECT_NE(failure.kind, "internal") << failure.message << ": cell " << index << ", " << random.command;
    if (result.depths.empty()) return;
    const StackPtr stack = build_stack(*cell.spec, cell.labels.seed, cell.depths.back());
    const Trajectory path = trajectory(*stack, result.depths.back().depth * stack->blocks_per_layer());
    for (const DepthResult& depth : result.depths) {
      if (depth.spectrum.status == SpectrumStatus::breakdown) continue;
      if (!depth.spectrum.certified && ++tally.uncertified) continue;
      const Look look{depth.depth * stack->blocks_per_layer(), plan.analysis.final_norm, plan.analysis.view,
                      States::library};
      const Verdict verdict = judged(path, look, depth.spectrum);
      tally.compared += verdict.compared, tally.unsettled += verdict.unsettled ? 1 : 0;
      tally.violations += static_cast<Index>(verdict.violations.size());
      for (const Violation& violation : verdict.violations) report(index, random, depth.spectrum, violation);
    }
  }
};

TEST(ReferenceRandomCells, WhatIsResolvedIsRightToItsClaim) {
  const std::uint64_t seed = number_from("REZERO_RANDOM_SEED", 1),
                      first = number_from("REZERO_RANDOM_FIRST", 0),
                      count = number_from("REZERO_RANDOM_CELLS", 2000);
  Sweep sweep;
  for (std::uint64_t i = first; i < first + count; ++i) sweep.take(i, random_cell(seed, i));
  const Tally& t = sweep.tally;
  std::printf("cells %td refused %td failed %td uncertified %td unsettled %td values %td violations %td\n",
              t.cells, t.refused, t.failed, t.uncertified, t.unsettled, t.compared, t.violations);
  EXPECT_EQ(t.violations, 0);
  EXPECT_EQ(t.unsettled, 0);
  EXPECT_GT(t.compared, t.cells) << "most cells give values";
}

}  // namespace
}  // namespace rezero::reference
