/// A column of J that cancelled to zeros in floating point was reported as a proved zero, although the
/// rounding of 1/3 decides it.

#include <gtest/gtest.h>

#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero {
namespace {

BlockParts linear(const Matrix& W) {
  BlockParts parts;
  parts.shape = {W.cols(), 1};
  parts.branch = &branches().at("linear");
  parts.weights[Role::linear] = {testing::share(W), nullptr};
  parts.skip_scale = Scale::number(0);
  return parts;
}

Spectrum spectrum_of_two(const Matrix& first, const Matrix& second) {
  const StackPtr stack = make_stack({linear(first), linear(second)}, Vector::Ones(2));
  return run_stack(stack, {2}).depths.at(0).spectrum;
}

TEST(Regression, ColumnThatCancelledIsNoProvedZero) {
  const Matrix first = (Matrix(2, 2) << 3, 1, 1, 5).finished();
  const Matrix second = (Matrix(2, 2) << 1.0 / 3, -1, 5.0 / 3, -5).finished();
  const Spectrum s = spectrum_of_two(first, second);
  EXPECT_EQ(s.null_directions, 0) << "det J is 2.3e-15";
  EXPECT_EQ(s.unresolved(), 1);
}

TEST(Regression, ColumnOfZeroWeightsIsAProvedZero) {
  const Matrix first = (Matrix(2, 2) << 0, 1, 0, 5).finished();
  const Matrix second = (Matrix(2, 2) << 1.0 / 3, -1, 5.0 / 3, -5).finished();
  EXPECT_EQ(spectrum_of_two(first, second).null_directions, 1);
}

/// The error of forming J was added twice to a density, the second time in full.
TEST(Regression, DensityOfAFormedJacobianKeepsItsResolution) {
  testing::StackText text;
  AnalysisOptions options;
  options.method = "density";
  const Spectrum s = run_stack(testing::stack(text, 1, 3), {3}, options).depths.at(0).spectrum;
  EXPECT_LT(s.accuracy.relative_resolution, 1e-12);
  EXPECT_LT(s.accuracy.forming_error, 1e-12);
  EXPECT_GT(s.accuracy.forming_error, 0);
}

}  // namespace
}  // namespace rezero
