/// The judge accepts correct results and detects each kind of wrong claim.

#include "accuracy/judge.h"

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero::reference {
namespace {

class Judged : public ::testing::Test {
 protected:
  /// post-ln: every value but the last is far above the rounding, the last is an exact zero.
  Judged()
      : stack_(build_stack(testing::stack_spec({"post-ln", "mlp", 4}), 0, 2)), path_(trajectory(*stack_, 2)) {
    AnalysisOptions options;
    options.method = "dense";
    const Cell cell(0, testing::stack_spec({"post-ln", "mlp", 4}), 0, {2}, options);
    spectrum_ = run_cell(cell, options).depths.at(0).spectrum;
  }
  Verdict verdict() const { return judged(path_, {2, false, {}, States::library}, spectrum_); }
  std::string kind() const {
    const Verdict found = verdict();
    return found.violations.size() == 1 ? found.violations.front().kind
                                        : std::to_string(found.violations.size());
  }

  StackPtr stack_;
  Trajectory path_;
  Spectrum spectrum_;
};

TEST_F(Judged, WhatIsRightPasses) {
  EXPECT_EQ(spectrum_.null_directions, 1);
  EXPECT_EQ(verdict().compared, 4);
  EXPECT_TRUE(verdict().violations.empty());
}

TEST_F(Judged, AValueOffByMoreThanTheResolutionIsSeen) {
  ScaledReal& value = spectrum_.sigma[1];
  value.mantissa += 3 * spectrum_.accuracy.relative_resolution *
                    std::ldexp(spectrum_.sigma_max.mantissa,
                               static_cast<int>(spectrum_.sigma_max.exponent - value.exponent));
  EXPECT_EQ(kind(), "resolved");
}

TEST_F(Judged, AnEstimateIsOfTheValueItself) {
  spectrum_.accuracy.relative_error_estimate = 1e-3;
  spectrum_.sigma[1].mantissa *= 1 - 3e-3;
  EXPECT_EQ(kind(), "resolved");
  spectrum_.accuracy.relative_error_estimate = 1e-2;
  EXPECT_TRUE(verdict().violations.empty());
}

TEST_F(Judged, ALargeValueCalledUnresolvedIsSeen) {
  spectrum_.sigma[1] = {};
  EXPECT_EQ(kind(), "unresolved");
}

TEST_F(Judged, AValueCalledZeroIsSeen) {
  spectrum_.sigma[2] = {};
  spectrum_.null_directions = 2;
  EXPECT_EQ(kind(), "null");
}

TEST_F(Judged, TheSmallestValuesAreComparedWithTheSmallest) {
  spectrum_.sigma = {spectrum_.sigma[2], spectrum_.sigma[3]};
  spectrum_.leading = 0;
  EXPECT_TRUE(verdict().violations.empty());
  spectrum_.leading = 2;
  EXPECT_FALSE(verdict().violations.empty());
}

}  // namespace
}  // namespace rezero::reference
