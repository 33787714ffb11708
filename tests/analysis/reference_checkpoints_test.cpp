/// Checkpoints as PyTorch and Hugging Face store them, against Jacobians computed with PyTorch
/// (tests/reference/checkpoints/make.py). Prints the worst error.

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "config/options.h"
#include "io/strict_json.h"
#include "rezero/analysis/sweep.h"
#include "rezero/config/resolve.h"
#include "rezero/io/file.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

std::string file_of(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/checkpoints/" + name;
}

/// The plan that the options of the command give.
SweepPlan plan_of(const std::string& name, const Json& expected, bool final_norm) {
  PlanOptions options;
  options.checkpoint = {file_of(name + ".safetensors")};
  options.input = file_of(name + ".input.npy");
  const auto words = expected["options"].get<std::vector<std::string>>();
  for (std::size_t i = 0; i < words.size(); ++i)
    detail::for_each_option(detail::option_table(), [&](const detail::PlanOption& option) {
      if (option.shown() == words[i]) option.parse(option.is_switch() ? "" : words[i + 1], options);
    });
  if (final_norm) options.final_norm = true;
  options.method = "dense";  // errors relative to the largest value, as those of the expected ones
  return resolve_plan(options, {});
}

/// Largest difference over the largest value.
Real difference(const DepthResult& got, const Json& expected) {
  const auto wanted = expected.get<std::vector<Real>>();
  EXPECT_TRUE(got.spectrum.accuracy.certified);
  EXPECT_EQ(got.spectrum.sigma.size(), wanted.size());
  Real worst = 0;
  for (std::size_t i = 0; i < std::min(wanted.size(), got.spectrum.sigma.size()); ++i)
    worst = std::max(worst, std::abs(*got.spectrum.sigma[i].to_real() - wanted[i]) / wanted[0]);
  return worst;
}

TEST(ReferenceCheckpoints, SingularValuesOfEveryLayout) {
  const Json all = parse_strict_json(read_file(file_of("expected.json")), "expected.json");
  constexpr Real tolerance = 1e-13;  // n is at most 40
  Real worst = 0;
  for (const auto& [name, expected] : all.items()) {
    const SweepPlan plan = plan_of(name, expected, false);
    std::vector<Index> depths;
    for (const Json& depth : expected["depths"]) depths.push_back(depth["depth"].get<Index>());
    const CellResult cell = run_stack(plan.stack->first().stack, depths, plan.analysis);
    ASSERT_TRUE(cell.failures.empty()) << name << ": " << cell.failures.front().message;
    ASSERT_EQ(plan.stack->first().stack->blocks(), depths.back()) << name;
    for (std::size_t i = 0; i < depths.size(); ++i) {
      const Real error = difference(cell.depths[i], expected["depths"][i]["singular_values"]);
      EXPECT_LE(error, tolerance) << name << " depth " << depths[i];
      worst = std::max(worst, error);
    }
    if (!expected.contains("final_norm_singular_values")) continue;
    const SweepPlan with_norm = plan_of(name, expected, true);
    const CellResult last = run_stack(with_norm.stack->first().stack, {depths.back()}, with_norm.analysis);
    const Real error = difference(last.depths.at(0), expected["final_norm_singular_values"]);
    EXPECT_LE(error, tolerance) << name << " with the norm after it";
    worst = std::max(worst, error);
  }
  std::printf("%zu checkpoints, worst error %.1e of sigma_max (allowed %.0e)\n", all.size(), worst,
              tolerance);
}

}  // namespace
}  // namespace rezero
