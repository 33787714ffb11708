/// Models as people export them, against answers computed with PyTorch, NumPy and formulas written apart
/// (tests/reference/onnx/README.md).

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "onnx/reference.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/jacobian/forward.h"

namespace rezero {
namespace {

using testing::onnx_json;
using testing::onnx_names;
using testing::onnx_stack;

Matrix matrix_of(const ScaledMatrix& J) {
  return J.mantissa * std::ldexp(1.0, static_cast<int>(J.exponent));
}

/// Largest difference of the singular values, over the largest value.
void expect_values(const Matrix& J, const nlohmann::json& right, Real tolerance, const std::string& where) {
  const Vector sigma = Eigen::BDCSVD<Matrix>(J).singularValues();
  const auto expected = right.get<std::vector<Real>>();
  ASSERT_EQ(static_cast<std::size_t>(sigma.size()), expected.size()) << where;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(sigma(static_cast<Index>(i)), expected[i], tolerance * expected[0])
        << where << " value " << i;
}

class ReferenceOnnxModels : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferenceOnnxModels, JacobianOutputAndPrefixes) {
  const nlohmann::json right = onnx_json(GetParam() + ".json");
  const Real tolerance = right.at("tolerance").get<Real>();
  const onnx::OnnxStackPtr stack = onnx_stack(right);
  ASSERT_EQ(stack->shape().size(), right.at("columns").get<Index>());
  ASSERT_EQ(stack->shape_after(stack->blocks()).size(), right.at("rows").get<Index>());
  const auto blocks = right.at("blocks").get<Index>();
  EXPECT_EQ(stack->blocks(), std::max<Index>(blocks, 1));
  std::vector<Index> depths;
  for (Index l = 1; l <= stack->blocks(); ++l) depths.push_back(l);
  const Index n = stack->shape().size();
  forward_jacobian(*stack, stack->input(), Matrix::Identity(n, n), depths, [&](const ForwardStep& step) {
    const Matrix J = matrix_of(step.jacobian);
    const std::string where = "block " + std::to_string(step.blocks - 1);
    if (blocks > 0) {
      const nlohmann::json& prefix = right.at("prefix").at(static_cast<std::size_t>(step.blocks - 1));
      EXPECT_EQ(stack->sum_name(step.blocks - 1), prefix.at("sum").get<std::string>());
      EXPECT_EQ(stack->exit_name(step.blocks - 1), prefix.at("exit").get<std::string>());
      expect_values(J, prefix.at("singular_values"), tolerance, where);
      if (prefix.at("identity_error").is_number() && prefix.at("identity_error").get<Real>() == 0) {
        EXPECT_EQ((J - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 0) << where;
      }
    }
    if (step.blocks < stack->blocks()) return;
    expect_values(J, right.at("singular_values"), tolerance, "whole");
    const Vector out = step.state.mantissa * std::ldexp(1.0, static_cast<int>(step.state.exponent));
    const auto expected = right.at("output").get<std::vector<Real>>();
    ASSERT_EQ(static_cast<std::size_t>(out.size()), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(out(static_cast<Index>(i)), expected[i],
                  tolerance * std::max<Real>(1, std::abs(expected[i])));
    if (!right.contains("jacobian_row_major") || right.at("jacobian_row_major").is_null()) return;
    const auto entries = right.at("jacobian_row_major").get<std::vector<Real>>();
    ASSERT_EQ(static_cast<Index>(entries.size()), J.size());
    for (Index i = 0; i < J.rows(); ++i)
      for (Index j = 0; j < n; ++j)
        EXPECT_NEAR(J(i, j), entries[static_cast<std::size_t>(i * n + j)],
                    tolerance * right.at("singular_values").at(0).get<Real>());
  });
}

TEST_P(ReferenceOnnxModels, CotangentsAgreeWithTangents) {
  const onnx::OnnxStackPtr stack = onnx_stack(onnx_json(GetParam() + ".json"));
  Vector x = stack->input();
  for (Index l = 0; l < stack->blocks(); ++l) {
    const Linearization at = stack->block(l)->linearize(x);
    const Matrix J = to_dense(*at.derivative);
    Matrix transposed(J.cols(), J.rows());
    at.derivative->apply_transpose(Matrix::Identity(J.rows(), J.rows()), transposed);
    EXPECT_LE((transposed.transpose() - J).norm(), 1e-13 * J.norm()) << "block " << l;
    EXPECT_EQ(stack->block(l)->evaluate(x), at.value);
    x = at.value;
  }
}

TEST_P(ReferenceOnnxModels, AliasesNameTheSameTensors) {
  const nlohmann::json right = onnx_json(GetParam() + ".json");
  if (!right.contains("aliases") || right.at("aliases").is_null()) return;
  for (const char* end : {"from", "to"}) {
    if (!right.at("aliases").contains(end)) continue;
    for (const auto& alias : right.at("aliases").at(end)) {
      const std::string path = testing::onnx_path(right.at("file").get<std::string>());
      const graph::Model model = onnx::parse_model(read_file(path), path);
      const auto name = alias.get<std::string>();
      const bool from = std::string(end) == "from";
      const onnx::Endpoints ends =
          onnx::find_endpoints(model, from ? name : right.at("from").get<std::string>(),
                               from ? right.at("to").get<std::string>() : name);
      EXPECT_EQ(from ? ends.from : ends.to, right.at(end).get<std::string>()) << name;
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceOnnxModels, ::testing::ValuesIn(onnx_names("models")), test_name);

}  // namespace
}  // namespace rezero
