/// Stacks whose J is a small difference of large numbers: claims compared with the truth. Prints the table of
/// docs/accuracy.md with
///   accuracy_test --gtest_filter='*CancellingStacks*'

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "accuracy/judge.h"
#include "rezero/analysis/sweep.h"
#include "support/stacks.h"

namespace rezero::reference {
namespace {

struct Case {
  std::string name;
  testing::StackText stack;
  Index depth;
  bool final_norm;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index width : {4, 16})
    for (const Index depth : {20, 50, 100, 200, 400})
      all.push_back({"residual, then a norm; n = " + std::to_string(width) + ", L = " + std::to_string(depth),
                     {"residual", "mlp", width},
                     depth,
                     true});
  for (const char* size : {"1e-10", "1e-5", "1", "1e5", "1e10"}) {
    testing::StackText text{"post-ln", "mlp", 4};
    text.init = std::string("gaussian:sigma_w=") + size;
    all.push_back({std::string("post-ln, weights of ") + size + "; n = 4, L = 2", text, 2, false});
  }
  return all;
}

CellResult run(const Case& c, const std::string& method) {
  AnalysisOptions options;
  options.method = method, options.final_norm = c.final_norm;
  return run_cell(Cell(0, testing::stack_spec(c.stack), 0, {c.depth}, options), options);
}

/// 6.5e-13, also beyond the range of double.
std::string decimal(const ScaledReal& value) {
  if (value.is_zero()) return "0";
  const Real log = value.log10(), exponent = std::floor(log);
  char text[64];
  std::snprintf(text, sizeof text, "%.3fe%+d", std::pow(10, log - exponent), static_cast<int>(exponent));
  return text;
}

/// The claim of one method, and the truth.
void compare(const Case& c, const char* method, const Trajectory& path, const std::string& exact_states) {
  const CellResult result = run(c, method);
  ASSERT_EQ(result.depths.size(), 1U) << c.name;
  const Spectrum& spectrum = result.depths.front().spectrum;
  if (spectrum.provenance.method != method) return;  // it failed, and reported so
  const Verdict verdict = judged(path, {c.depth, c.final_norm, {}, States::library}, spectrum);
  const Index unresolved = spectrum.unresolved() + spectrum.null_directions;
  std::printf("| %s | %s | %s | %s | %s | %s | %.1e | %.1e | %td of %td |\n", c.name.c_str(), method,
              decimal(spectrum.sigma_max).c_str(), decimal(verdict.largest).c_str(), exact_states.c_str(),
              spectrum.accuracy.relative_error_estimate ? "each value" : "sigma_max",
              spectrum.accuracy.relative_error_estimate.value_or(spectrum.accuracy.relative_resolution),
              verdict.largest_error, static_cast<Index>(spectrum.sigma.size()) - unresolved,
              spectrum.dimension);
  EXPECT_FALSE(verdict.unsettled) << c.name;
  if (!spectrum.accuracy.certified) return;
  for (const Violation& v : verdict.violations)
    ADD_FAILURE() << c.name << ", " << method << ": " << v.kind << " value " << v.index << " is "
                  << decimal(v.published) << ", truly " << decimal(v.truth) << ": " << v.excess
                  << " times the claim";
}

TEST(ReferenceCancellingStacks, ErrorsAreWithinTheirClaims) {
  std::printf(
      "| stack | method | sigma_max | truly | with exact states | error relative to | claimed | true | "
      "resolved |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Case& c : cases()) {
    const StackPtr stack = build_stack(testing::stack_spec(c.stack), 0, c.depth);
    const Trajectory path = trajectory(*stack, c.depth);
    const Truth exact = true_singular_values(path, {c.depth, c.final_norm, {}, States::exact});
    for (const char* method : {"dense", "product"}) compare(c, method, path, decimal(exact.sigma.front()));
  }
}

}  // namespace
}  // namespace rezero::reference
