/// Every reference stack (see tests/reference/README.md) gives its expected values, to the tolerances stated
/// there. Prints the worst error of each quantity.

#include <gtest/gtest.h>

#include <limits>

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "rezero/analysis/observe.h"
#include "rezero/analysis/sweep.h"
#include "rezero/io/file.h"
#include "rezero/io/stack_file.h"
#include "support/reference_data.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

using testing::reference_file;
using testing::reference_json;

/// Worst error in units of its tolerance, and as it is, by quantity.
struct Worst {
  Real error = 0, tolerance = 0;
  std::string where;
};
using Ledger = std::map<std::string, Worst>;

void record(Ledger& ledger, const std::string& quantity, Real error, Real tolerance,
            const std::string& where) {
  EXPECT_LE(error, tolerance) << quantity << " of " << where;
  Worst& worst = ledger[quantity];
  if (error >= worst.error) worst = {error, tolerance, where};
}

Real relative_error(Real got, Real wanted) {
  return wanted == 0 ? std::abs(got) : std::abs(got - wanted) / std::abs(wanted);
}

struct StackRun {
  CellResult result;
  std::map<Index, Matrix> jacobians;
};

StackRun run(const std::string& name, const Json& expected) {
  const StackPtr stack = parse_stack_file(read_file(reference_file(name + ".safetensors")), name);
  std::vector<Index> depths;
  for (const Json& depth : expected["depths"]) depths.push_back(depth["depth"].get<Index>());
  AnalysisOptions options;
  options.profile = true;
  options.cotangent = CotangentLaw::ones;
  StackRun run{run_stack(stack, depths, options), {}};
  const Index n = stack->shape().size();
  forward_jacobian(*stack, stack->input(), Matrix::Identity(n, n), depths, [&](const ForwardStep& step) {
    run.jacobians[step.blocks] =
        step.jacobian.mantissa * std::pow(2.0, static_cast<Real>(step.jacobian.exponent));
  });
  return run;
}

void compare_sigma(Ledger& ledger, const DepthResult& got, const Json& expected, const std::string& where) {
  const Spectrum& spectrum = got.spectrum;
  ASSERT_TRUE(spectrum.accuracy.certified) << where << ": " << spectrum.message;
  const Real tolerance = got.cols > 16 ? 1e-12 : 1e-13;
  if (!expected["singular_values"].is_null()) {
    const auto wanted = expected["singular_values"].get<std::vector<Real>>();
    ASSERT_EQ(wanted.size(), spectrum.sigma.size()) << where;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      record(ledger, "singular values / sigma_max",
             std::abs(*spectrum.sigma[i].to_real() - wanted[i]) / wanted[0], tolerance, where);
  }
  if (!expected.contains("log_sigma_exact")) return;
  const auto exact = expected["log_sigma_exact"].get<std::vector<Real>>();
  EXPECT_EQ(spectrum.null_directions, spectrum.dimension - static_cast<Index>(exact.size())) << where;
  const Real rounding = std::numeric_limits<Real>::epsilon();  // of the two logarithms, which may exceed 1000
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (spectrum.resolved(i))
      record(ledger, "exact sigma above the resolution / sigma_max",
             std::abs(std::expm1(spectrum.sigma[i].log() - exact[i])) * std::exp(exact[i] - exact[0]),
             tolerance + rounding * std::abs(exact[i]), where);
}

void compare_depth(Ledger& ledger, const DepthResult& got, const Matrix& J, const Json& expected,
                   const std::string& where) {
  compare_sigma(ledger, got, expected, where);
  if (!expected["mean_square"].is_null())
    record(ledger, "mean_square, relative",
           relative_error(*got.frobenius_square->to_real() / static_cast<Real>(got.cols),
                          expected["mean_square"].get<Real>()),
           2e-12, where);
  if (!expected["identity_error"].is_null())
    record(ledger, "identity_error / max|J|",
           std::abs(*got.identity_error->to_real() - expected["identity_error"].get<Real>()) / max_abs(J),
           1e-12, where);
  if (!expected.contains("jacobian_row_major") || expected["jacobian_row_major"].is_null()) return;
  const auto flat = expected["jacobian_row_major"].get<std::vector<Real>>();
  const Matrix wanted = Eigen::Map<const Matrix>(flat.data(), J.cols(), J.rows()).transpose();
  record(ledger, "J / max|J|", max_abs(J - wanted) / max_abs(wanted), 1e-12, where);
}

void compare_profile(Ledger& ledger, const Profile& got, const Json& expected, const std::string& where) {
  const Json& rms = expected["forward_rms"];
  ASSERT_EQ(rms.size(), got.forward_rms.size()) << where;
  for (std::size_t l = 0; l < rms.size(); ++l)
    record(ledger, "forward_rms, relative", relative_error(*got.forward_rms[l].to_real(), rms[l].get<Real>()),
           1e-12, where);
  if (!expected.contains("gate_gradient_of_sum")) return;  // the exact stack with norms has none
  const Json& gates = expected["gate_gradient_of_sum"];
  ASSERT_EQ(gates.size(), got.gate_gradient.size()) << where;
  for (std::size_t l = 0; l < gates.size(); ++l)
    if (!gates[l].is_null())
      record(ledger, "gate_gradient_of_sum, relative",
             relative_error(
                 got.gate_gradient[l].mantissa * std::exp2(static_cast<Real>(got.gate_gradient[l].exponent)),
                 gates[l].get<Real>()),
             1e-10, where);
}

TEST(ReferenceStacks, EveryQuantityAgrees) {
  Ledger ledger;
  const Json index = reference_json("index.json");
  for (const auto& [name, what] : index.items()) {
    SCOPED_TRACE(what.get<std::string>());
    const Json expected = reference_json(name + ".json");
    const StackRun got = run(name, expected);
    ASSERT_TRUE(got.result.failures.empty()) << name << ": " << got.result.failures.front().message;
    ASSERT_EQ(got.result.depths.size(), expected["depths"].size()) << name;
    for (std::size_t d = 0; d < got.result.depths.size(); ++d) {
      const DepthResult& depth = got.result.depths[d];
      const std::string where = name + " depth " + std::to_string(depth.depth);
      compare_depth(ledger, depth, got.jacobians.at(depth.depth), expected["depths"][d], where);
    }
    compare_profile(ledger, *got.result.depths.back().profile, expected, name);
  }
  std::printf("%zu stacks; worst errors:\n", index.size());
  for (const auto& [quantity, worst] : ledger)
    std::printf("  %-45s %.1e (allowed %.0e) in %s\n", quantity.c_str(), worst.error, worst.tolerance,
                worst.where.c_str());
}

}  // namespace
}  // namespace rezero
