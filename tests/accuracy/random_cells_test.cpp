/// Random cells against the truth in extended precision: every value published as resolved satisfies its
/// claim. REZERO_RANDOM_SEED, _FIRST and _CELLS select other cells (tests/accuracy/random_cells.sh runs
/// many). REZERO_RANDOM_KEEP names a folder for the files needed to reproduce violations: the input, or a
/// decorated stack.

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "accuracy/decorate.h"
#include "accuracy/judge.h"
#include "accuracy/random_cell.h"
#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"
#include "rezero/io/atomic_file.h"
#include "rezero/io/stack_file.h"

namespace rezero::reference {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Tally {
  Index cells = 0, refused = 0, failed = 0, uncertified = 0, unsettled = 0, faults = 0, compared = 0,
        violations = 0;
};

/// A random cell as it is run: from its options, or from a stack.
struct Run {
  std::uint64_t index;
  const RandomCell& random;
  Cell cell;
  StackPtr stack;

  Run(std::uint64_t i, std::uint64_t seed, const RandomCell& from, Cell expanded,
      const AnalysisOptions& options)
      : index(i), random(from), cell(std::move(expanded)) {
    stack = build_stack(*cell.spec, cell.labels.seed, cell.depths.back());
    if (!from.decorate) return;
    std::vector<Index> depths = cell.depths;
    for (Index& depth : depths) depth *= stack->blocks_per_layer();
    stack = decorated(*stack, depths.back(), seed, i);
    cell = Cell(stack, depths, options, cell.labels, cell.index);
  }

  /// The command a user would type; for a decorated stack, with the file that save() writes.
  std::string command() const {
    if (!random.decorate) return "rezero-analyze" + random.typed;
    std::string depths;
    for (const Index depth : cell.depths) depths += (depths.empty() ? "" : ",") + std::to_string(depth);
    return "rezero-analyze --stack cell-" + std::to_string(index) + ".safetensors --depth " + depths +
           random.look;
  }
  void save(const std::string& folder) const {
    const std::string file = folder + "/cell-" + std::to_string(index);
    if (!random.input.empty()) write_file(file + ".npy", random.input);
    if (!random.decorate) return;
    try {
      write_stack_file(*stack, file + ".safetensors", {{"decorated from", random.typed}});
    } catch (const UsageError& error) {
      std::printf("no file: cell %" PRIu64 ": %s\n", index, error.what());
    }
  }
};

/// One line with everything: the cell, the claim, the truth.
void report(const Run& run, const Spectrum& spectrum, const Violation& v) {
  std::printf("violation: cell %" PRIu64 ", %s value %zu by %s: published %.16ge%+" PRId64
              ", true %.16ge%+" PRId64 " (powers of two), %.3g times the claim %s%.3g: %s\n",
              run.index, v.kind.c_str(), v.index, spectrum.provenance.method.c_str(), v.published.mantissa,
              v.published.exponent, v.truth.mantissa, v.truth.exponent, v.excess,
              spectrum.accuracy.relative_error_estimate ? "of itself " : "of the largest ",
              spectrum.accuracy.relative_error_estimate.value_or(spectrum.accuracy.relative_resolution),
              run.command().c_str());
}

class Sweep {
 public:
  explicit Sweep(std::uint64_t seed) : seed_(seed) {}

  void take(std::uint64_t index) {
    ++tally.cells;
    const RandomCell random = random_cell(seed_, index);
    try {
      const SweepPlan plan = resolved(random);
      const CellList cells = expand_cells(plan);
      for (std::size_t i = 0; i < cells.size(); ++i)
        judge({index, seed_, random, cells[i], plan.analysis}, plan.analysis);
    } catch (const UsageError&) {
      ++tally.refused;
    } catch (const NumericalError&) {  // while a stack is built that looks at its own states
      ++tally.failed;
    } catch (const std::exception& error) {
      fault(index, error.what(), "rezero-analyze" + random.typed);
    }
  }

  Tally tally;

 private:
  void judge(const Run& run, const AnalysisOptions& options) {
    const CellResult result = run_cell(run.cell, options);
    tally.failed += result.failures.empty() ? 0 : 1;
    for (const CellFailure& failure : result.failures)
      if (failure.kind == "internal") fault(run.index, failure.message, run.command());
    if (result.depths.empty()) return;
    const Index layer = run.stack->blocks_per_layer();
    const Trajectory path = trajectory(*run.stack, result.depths.back().depth * layer);
    for (const DepthResult& depth : result.depths)
      if (depth.spectrum.status != SpectrumStatus::breakdown)
        judge(run, path, {depth.depth * layer, options.final_norm, options.view, States::library},
              depth.spectrum);
  }

  void judge(const Run& run, const Trajectory& path, const Look& look, const Spectrum& spectrum) {
    if (!spectrum.accuracy.certified && ++tally.uncertified) return;
    const Verdict verdict = judged(path, look, spectrum);
    tally.compared += verdict.compared;
    if (verdict.unsettled && ++tally.unsettled)
      std::printf("unsettled: cell %" PRIu64 ": %s\n", run.index, run.command().c_str());
    tally.violations += static_cast<Index>(verdict.violations.size());
    for (const Violation& violation : verdict.violations) report(run, spectrum, violation);
    const char* folder = std::getenv("REZERO_RANDOM_KEEP");
    if (folder && !verdict.violations.empty()) run.save(folder);
  }

  /// A mistake in the program rather than a problem with numbers.
  void fault(std::uint64_t index, const std::string& message, const std::string& command) {
    ++tally.faults;
    std::printf("fault: cell %" PRIu64 ": %s: %s\n", index, message.c_str(), command.c_str());
  }

  std::uint64_t seed_;
};

TEST(ReferenceRandomCells, WhatIsResolvedIsRightToItsClaim) {
  const std::uint64_t seed = number_from("REZERO_RANDOM_SEED", 1),
                      first = number_from("REZERO_RANDOM_FIRST", 0),
                      count = number_from("REZERO_RANDOM_CELLS", 2400);
  Sweep sweep(seed);
  for (std::uint64_t i = first; i < first + count; ++i) sweep.take(i);
  const Tally& t = sweep.tally;
  std::printf(
      "cells %td refused %td failed %td uncertified %td unsettled %td faults %td values %td violations %td\n",
      t.cells, t.refused, t.failed, t.uncertified, t.unsettled, t.faults, t.compared, t.violations);
  EXPECT_EQ(t.violations, 0);
  EXPECT_EQ(t.unsettled, 0);
  EXPECT_EQ(t.faults, 0);
  EXPECT_GT(t.compared, t.cells) << "most cells give values";
}

}  // namespace
}  // namespace rezero::reference
