/// The reference against independently computed values (tests/reference/README.md): Jacobians to double
/// precision, logarithms of the exact stacks to their precision.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "accuracy/truth.h"
#include "rezero/io/file.h"
#include "rezero/io/stack_file.h"
#include "support/reference_data.h"

namespace rezero::reference {
namespace {

using Json = nlohmann::ordered_json;

using testing::reference_file;
using testing::reference_json;

Matrix as_doubles(const State& J) {
  Matrix result(static_cast<Index>(J.size()), static_cast<Index>(J.front().slopes.size()));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      result(i, j) =
          mpfr_get_d(J[static_cast<std::size_t>(i)].slopes[static_cast<std::size_t>(j)].raw(), MPFR_RNDN);
  return result;
}

void compare_jacobian(const Trajectory& path, const Json& expected, const std::string& where) {
  if (!expected.contains("jacobian_row_major") || expected["jacobian_row_major"].is_null()) return;
  const Precision precision(256);
  const Matrix J = as_doubles(jacobian(path, {expected["depth"].get<Index>(), false, {}, States::library}));
  const auto flat = expected["jacobian_row_major"].get<std::vector<Real>>();
  ASSERT_EQ(static_cast<Index>(flat.size()), J.size()) << where;
  const Matrix wanted = Eigen::Map<const Matrix>(flat.data(), J.cols(), J.rows()).transpose();
  EXPECT_LE(max_abs(J - wanted), 1e-12 * max_abs(wanted)) << where;
}

void compare_logarithms(const Trajectory& path, const Json& expected, const std::string& where) {
  if (!expected.contains("log_sigma_exact")) return;
  const auto exact = expected["log_sigma_exact"].get<std::vector<Real>>();
  const auto bits = static_cast<long>(192 + (exact.front() - exact.back()) / std::log(2.0));
  const Truth truth =
      true_singular_values(path, {expected["depth"].get<Index>(), false, {}, States::library}, bits);
  ASSERT_TRUE(truth.settled) << where;
  for (std::size_t i = 0; i < truth.sigma.size(); ++i) {
    if (i < exact.size())
      EXPECT_NEAR(truth.sigma[i].log(), exact[i], 1e-8) << where << " value " << i;
    else
      EXPECT_TRUE(truth.sigma[i].is_zero()) << where << " value " << i;
  }
}

TEST(ReferenceEvaluator, AgreesWithTheStacksOfOthers) {
  const Json index = reference_json("index.json");
  for (const auto& [name, what] : index.items()) {
    SCOPED_TRACE(what.get<std::string>());
    const StackPtr stack = parse_stack_file(read_file(reference_file(name + ".safetensors")), name);
    const Trajectory path = trajectory(*stack, stack->blocks());
    const Json expected = reference_json(name + ".json");
    for (const Json& depth : expected["depths"]) {
      const std::string where = name + " depth " + std::to_string(depth["depth"].get<Index>());
      compare_jacobian(path, depth, where);
      compare_logarithms(path, depth, where);
    }
  }
}

}  // namespace
}  // namespace rezero::reference
