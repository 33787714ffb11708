/// A sink that threw was called again, with the same cell, by the thread waiting to deliver the next one.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "rezero/analysis/sweep.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

TEST(Regression, SinkCalledAgainAfterItThrew) {
  SweepPlan plan;
  plan.schemes.emplace_back("residual");
  plan.family = &families().at("linear");
  plan.depths = {1}, plan.widths = {4}, plan.seeds = {1, 2, 3, 4};
  plan.activations.emplace_back("identity");
  plan.initializers.emplace_back(parse_named_spec("he"));
  RunOptions run;
  run.threads = 2;
  int calls = 0;
  const auto sink = [&calls](const CellResult&) {
    ++calls;
    // by then the other thread is done, and waits
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    throw IoError("disk full");
  };
  EXPECT_THROW(run_sweep(plan, expand_cells(plan), run, sink), IoError);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace rezero
