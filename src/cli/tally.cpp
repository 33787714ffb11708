#include "cli/tally.h"

#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

bool any_check_fails(const CellResult& result) {
  for (const DepthResult& depth : result.depths)
    for (const CheckResult& check : depth.checks)
      if (check.fails()) return true;
  return false;
}

/// `rezero depth 8 seed 0: …`, safe for one line.
std::string reason(const CellLabels& labels, const CellFailure& failure) {
  const std::string file = labels.checkpoint ? "'" + printable(labels.stack) + "' " : "";
  const std::string scheme = labels.scheme ? printable(labels.scheme->canonical()) + " " : file;
  const std::string seed = labels.seeded   ? " seed " + std::to_string(labels.seed)
                           : labels.sample ? " sample " + std::to_string(*labels.sample)
                                           : "";
  return scheme + "depth " + std::to_string(failure.depth) + seed + ": " + printable(failure.message);
}

}  // namespace

void Tally::add(const CellResult& row) {
  if (failed_ == 0 && !row.failures.empty()) first_reason_ = reason(row.labels, row.failures.front());
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
