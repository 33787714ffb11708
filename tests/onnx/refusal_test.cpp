/// Files that must be refused: by kind of error, and by naming what is wrong.

#include <gtest/gtest.h>

#include "onnx/reference.h"
#include "rezero/core/error.h"
#include "rezero/jacobian/forward.h"

namespace rezero {
namespace {

class ReferenceOnnxRefusals : public ::testing::TestWithParam<std::string> {};

/// The exit code of the error that a whole analysis throws, and its message; 0 if it throws none.
std::pair<int, std::string> outcome_of(const nlohmann::json& right) {
  try {
    const onnx::OnnxStackPtr stack = testing::onnx_stack(right, "bad/");
    const Index n = stack->shape().size();
    forward_jacobian(*stack, stack->input(), Matrix::Identity(n, n), {stack->blocks()},
                     [](const ForwardStep&) {});
  } catch (const UsageError& error) {
    return {2, error.what()};
  } catch (const IoError& error) {
    return {3, error.what()};
  } catch (const NumericalError& error) {
    return {4, error.what()};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
  return {0, ""};
}

TEST_P(ReferenceOnnxRefusals, NameWhatIsWrong) {
  const nlohmann::json right = testing::onnx_json("bad/" + GetParam() + ".json");
  const auto [code, message] = outcome_of(right);
  const auto allowed = right.at("exit").get<std::vector<int>>();
  EXPECT_TRUE(std::count(allowed.begin(), allowed.end(), code)) << "exit " << code << ": " << message;
  bool named = false;
  for (const auto& name : right.at("names_any_of"))
    named = named || message.find(name.get<std::string>()) != std::string::npos;
  EXPECT_TRUE(named) << message;
  if (right.at("suggest").is_string()) {
    EXPECT_NE(message.find(right.at("suggest").get<std::string>()), std::string::npos) << message;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  RecordProperty("message", message);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(Files, ReferenceOnnxRefusals, ::testing::ValuesIn(testing::onnx_names("bad")),
                         test_name);

}  // namespace
}  // namespace rezero
