#pragma once
/// The outcome of the rows of a run.

#include <string>

#include "cli/environment.h"

namespace rezero::cli {

class Tally {
 public:
  /// The plan must outlive the tally.
  explicit Tally(const SweepPlan& plan) : plan_(&plan) {}
  explicit Tally(const SweepPlan&&) = delete;
  /// One row of run_sweep.
  void add(const CellResult& row);
  /// The exit code. If rows failed, prints their number and the first reason on stderr: an error is not a
  /// notice, so --quiet does not suppress it.
  int conclude(const Environment& env) const;

 private:
  const SweepPlan* plan_;
  std::size_t rows_ = 0, failed_ = 0;
  std::string first_reason_;
  bool verdict_fails_ = false;
};

}  // namespace rezero::cli
