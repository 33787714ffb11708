/// The command critical, from options to text and JSON.

#include <cmath>

#include "cli/cli_support.h"

namespace rezero {
namespace {

Json critical(Args args) {
  args.insert(args.begin(), "critical");
  args.insert(args.end(), {"--format", "json"});
  const Ran got = ran(args);
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.err, "");
  return got.json();
}

TEST(CliCritical, TextIsTheCommittedText) {
  expect_golden("critical_tanh.txt", ran({"critical", "--activation", "tanh", "--sigma-b", "0,0.1,0.5"}).out);
  expect_golden("critical_gelu.txt", ran({"critical", "--activation", "gelu", "--sigma-b", "0.2,0.5"}).out);
  expect_golden("critical_relu.txt", ran({"critical", "--depth", "16"}).out);
  expect_golden("critical_softplus.txt", ran({"critical", "--activation", "softplus", "--q", "1,2"}).out);
  expect_golden("critical_phases.txt",
                ran({"critical", "--activation", "tanh", "--sigma-w", "0.9,1.5", "--sigma-b", "0.2"}).out);
  expect_golden("critical_schemes.txt",
                ran({"critical", "--family", "mlp", "--scheme", "depth-power,fixed,residual,mix-ln",
                     "--depth", "32", "--bound", "2", "--max-depth", "64"})
                    .out);
}

/// Without texts that hold numbers, whose last digit depends on the processor.
Json without_texts(Json answer) {
  if (answer.is_object()) {
    answer.erase("init");
    if (answer.contains("within_bound") && answer["within_bound"].is_object())
      answer["within_bound"].erase("scheme");
  }
  if (answer.is_structured())
    for (Json& part : answer) part = without_texts(std::move(part));
  return answer;
}

TEST(CliCritical, JsonIsTheCommittedDocument) {
  expect_golden_json("critical_tanh.json",
                     without_texts(critical({"--activation", "tanh", "--sigma-b", "0.1,0.5"})));
  expect_golden_json(
      "critical_phases.json",
      without_texts(critical({"--activation", "tanh", "--sigma-w", "1.5", "--sigma-b", "0.2,1"})));
  expect_golden_json("critical_schemes.json",
                     without_texts(critical({"--family", "mlp", "--scheme", "depth-power,residual", "--depth",
                                             "32", "--bound", "2"})));
}

/// The solved scheme, typed in again, has the bound as its m1.
TEST(CliCritical, TheSolvedSchemeIsAnAnswer) {
  const Json first =
      critical({"--family", "mlp", "--scheme", "fixed", "--activation", "tanh", "--bound", "3"});
  const std::string scheme = first["schemes"][0]["within_bound"]["scheme"];
  const Json second = critical({"--family", "mlp", "--scheme", scheme, "--activation", "tanh"});
  EXPECT_NEAR(second["schemes"][0]["log_first_moment"].get<Real>(), std::log(3.0), 1e-9);
}

/// A critical net, typed in again, is critical.
TEST(CliCritical, TheCriticalNetIsCritical) {
  const Json line = critical({"--activation", "tanh", "--sigma-b", "0.3"})["lines"][0]["critical"][0];
  const std::string sigma_w = line["sigma_w"].dump();
  const Json net = critical({"--activation", "tanh", "--sigma-w", sigma_w, "--sigma-b", "0.3"})["nets"][0];
  EXPECT_EQ(net["phase"], "critical");
  EXPECT_NEAR(net["q"].get<Real>(), line["q"].get<Real>(), 1e-9);
  EXPECT_TRUE(net["xi_c"].is_null());
}

TEST(CliCritical, FamiliesWithTheSameLaw) {
  const Json dense = critical({"--activation", "tanh", "--sigma-b", "0.3"});
  const Json pre = critical({"--activation", "tanh", "--family", "preactivation", "--sigma-b", "0.3"});
  EXPECT_EQ(dense["lines"][0]["critical"][0]["sigma_w"], pre["lines"][0]["critical"][0]["sigma_w"]);
  const Json linear = critical({"--family", "linear", "--sigma-b", "0"});
  EXPECT_EQ(linear["lines"][0]["critical"][0]["sigma_w"], 1.0);
  EXPECT_TRUE(linear["lines"][0]["every_q"].get<bool>());
}

TEST(CliCritical, RefusalsNameTheProblem) {
  const auto expect_refusal = [](Args args, const char* part) {
    args.insert(args.begin(), "critical");
    EXPECT_TRUE(contains(refused(args, 2), part)) << part;
  };
  expect_refusal({"--family", "mlp"}, "linear, dense and preactivation");
  expect_refusal({"--family", "linear", "--activation", "tanh"}, "has no activation");
  expect_refusal({"--activation", "tanhh"}, "Did you mean 'tanh'?");
  expect_refusal({"--sigma-b", "-1"}, "--sigma-b");
  expect_refusal({"--sigma-b", "nan"}, "--sigma-b");
  expect_refusal({"--sigma-b", "1e-7", "--activation", "tanh"},
                 "--sigma-b must be 0 or between 1e-05 and 1e+05");
  expect_refusal({"--sigma-w", "0"}, "--sigma-w");
  expect_refusal({"--q", "1", "--sigma-b", "1"}, "--q determines");
  expect_refusal({"--q", "0"}, "--q");
  expect_refusal({"--solve", "c"}, "does not apply to plain nets");
  expect_refusal({"--scheme", "residual", "--family", "mlp", "--solve", "c"}, "depth-power");
  expect_refusal({"--scheme", "fixed", "--sigma-b", "1"}, "--scheme plain alone");
  expect_refusal({"--scheme", "fixed", "--bound", "1"}, "above 1");
  expect_refusal({"--scheme", "depth-power", "--solve", "q"}, "known: c, p");
  expect_refusal({"--scheme", "fixed", "--hidden-ratio", "2"}, "no hidden layer");
  expect_refusal({"--bound", "0"}, "--bound");
  expect_refusal({"--range", "-1"}, "--range");
  expect_refusal({"--correlation", "1"}, "--correlation");
  expect_refusal({"--depth", "0"}, "--depth");
  expect_refusal({"--max-depth", "1e9"}, "at most 10000");
  expect_refusal({"--format", "csv"}, "unknown format 'csv' of critical");
}

}  // namespace
}  // namespace rezero
