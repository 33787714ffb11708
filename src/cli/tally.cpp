#include "cli/tally.h"

#include "rezero/analysis/labels.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

bool any_check_fails(const CellResult& result) {
  for (const DepthResult& depth : result.depths)
    for (const CheckResult& check : depth.checks)
      if (check.fails()) return true;
  return false;
}

}  // namespace

void Tally::add(const CellResult& row) {
  if (failed_ == 0 && !row.failures.empty()) {
    const CellFailure& failure = row.failures.front();
    first_reason_ = place_text(*plan_, row.labels, failure.depth) + ": " + failure.message;
  }
  ++rows_;
  if (!row.failures.empty()) ++failed_;
  verdict_fails_ = verdict_fails_ || any_check_fails(row);
}

int Tally::conclude(const Environment& env) const {
  if (failed_ == 0) return verdict_fails_ ? exit_verdict_fails : exit_ok;
  env.err("rezero-analyze: " + std::to_string(failed_) + " of " + std::to_string(rows_) +
          (rows_ == 1 ? " row" : " rows") + " failed: " + first_reason_ + "\n");
  return exit_cell_failed;
}

}  // namespace rezero::cli
