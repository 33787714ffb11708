/// Verdicts and culprits of the reference models, in the names of their files.

#include <gtest/gtest.h>

#include "onnx/reference.h"
#include "rezero/analysis/run_cell.h"

namespace rezero {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a culprit of that check and block is named as `right` asks.
bool is_named(const CheckResult& check, const nlohmann::json& right) {
  for (const Culprit& culprit : check.culprits) {
    if (culprit.block != right.at("block").get<Index>()) continue;
    bool named = false;
    for (const auto& name : right.at("any_of"))
      named = named || culprit.parameter.find(name.get<std::string>()) != std::string::npos ||
              culprit.reason.find(name.get<std::string>()) != std::string::npos;
    for (const auto& word : right.at("words"))
      named = named || lower(culprit.reason).find(lower(word.get<std::string>())) != std::string::npos;
    const bool valued = right.at("value").is_null() ||
                        (culprit.value && std::abs(*culprit.value - right.at("value").get<Real>()) <= 1e-7);
    if (named && valued) return true;
  }
  return false;
}

std::string text_of(const CheckResult& check) {
  std::string text = check.check + (check.pass ? " passes" : " fails") + " " + check.message + "\n";
  for (const Culprit& culprit : check.culprits)
    text +=
        "  block " + std::to_string(culprit.block) + " " + culprit.parameter + ": " + culprit.reason + "\n";
  return text;
}

class ReferenceOnnxVerdicts : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferenceOnnxVerdicts, NameTheCulprits) {
  const nlohmann::json right = testing::onnx_json(GetParam() + ".json"), verdict = right.at("verdict");
  const onnx::OnnxStackPtr stack = testing::onnx_stack(right);
  AnalysisOptions options;
  options.spectrum = false;
  options.checks = {CheckSpec(parse_named_spec("identity")), CheckSpec(parse_named_spec("alive"))};
  const CellResult seen = run_stack(stack, {stack->blocks()}, options);
  ASSERT_TRUE(seen.failures.empty()) << seen.failures.front().message;
  const std::vector<CheckResult>& checks = seen.depths.front().checks;
  const CheckResult& identity = checks.at(0);
  const CheckResult& alive = checks.at(1);
  const auto expected = [](const std::string& word, const CheckResult& check) {
    if (word == "none") return;
    EXPECT_EQ(word == "pass", check.pass) << text_of(check);
  };
  expected(verdict.at("identity").get<std::string>(), identity);
  expected(verdict.at("alive").get<std::string>(), alive);
  if (verdict.at("first_culprit_block").is_number()) {
    const CheckResult& asked = verdict.at("identity") == "fail" ? identity : alive;
    ASSERT_FALSE(asked.culprits.empty()) << text_of(asked);
    EXPECT_EQ(asked.culprits.front().block, verdict.at("first_culprit_block").get<Index>()) << text_of(asked);
  }
  for (const auto& culprit : verdict.at("culprits")) {
    const CheckResult& asked = culprit.at("check") == "identity" ? identity : alive;
    EXPECT_TRUE(is_named(asked, culprit)) << culprit << "\n" << text_of(asked);
  }
  RecordProperty("identity", text_of(identity));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceOnnxVerdicts, ::testing::ValuesIn(testing::onnx_names("models")),
                         test_name);

}  // namespace
}  // namespace rezero
