/// Plans as JSON, there and back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plan_support.h"
#include "rezero/io/npy.h"

namespace rezero {
namespace {

using test::World;
using Indices = std::vector<Index>;
using Json = nlohmann::ordered_json;

const World& world() {
  static const World world{{{"a.json", "[0, 0.5, 1]"},
                            {"x.npy", npy_bytes({{4}, {1, 2, 3, 4}})},
                            {"s.safetensors", "stack"},
                            {"t.safetensors", "other"},
                            {"samples.npy", npy_bytes({{2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}})}}};
  return world;
}

void expect_round_trip(const PlanOptions& options, PlanUse use = PlanUse::analysis) {
  const std::string first = plan_json(world().plan(options, use));
  const SweepPlan again = world().plan(plan_options_from_json(first, "plan.json"), use);
  EXPECT_EQ(plan_json(again), first);
  const std::string report = "{\"schema\": \"rezero-analyze/report/1\", \"plan\": " + first + "}";
  EXPECT_EQ(plan_json(world().plan(plan_options_from_json(report, "report.json"), use)), first);
  const std::string stream = "{\"kind\": \"context\", \"plan\": " + first + "}\n{\"kind\": \"result\"}\n";
  EXPECT_EQ(plan_json(world().plan(plan_options_from_json(stream, "report.ndjson"), use)), first);
}

std::string error_of(const std::string& text) {
  try {
    plan_options_from_json(text, "p");
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PlanJson, RandomStacksMakeTheRoundTrip) {
  expect_round_trip({});
  PlanOptions options;
  for (const char* scheme : {"plain", "fixed:alpha=0.3", "depth-power:p=1", "rezero:alpha=1e-300",
                             "stable-resnet", "depth-mup:c=2"})
    for (const char* family : {"linear", "dense", "preactivation", "mlp", "glu"}) {
      options.scheme = {scheme, "gated"}, options.family = family;
      expect_round_trip(options);
    }
  options.family = "mlp", options.hidden_ratio = 0.1, options.activation = {"tanh", "leaky_relu"};
  options.init = {"he:law=uniform", "orthogonal"}, options.tied = true, options.input = "sphere";
  options.seed = std::vector<std::uint64_t>{18446744073709551615u, 0};
  options.width = Indices{8, 16}, options.top = 2, options.bottom = 1, options.method = "spectra";
  options.values = "log10", options.profile = true, options.cotangent = "ones";
  expect_round_trip(options);
}

TEST(PlanJson, TransformersMakeTheRoundTrip) {
  PlanOptions options;
  options.scheme = {"rezero", "deepnorm", "pre-ln", "admin", "mix-ln"}, options.width = Indices{8};
  for (const char* family : {"mlp", "glu", "attention", "transformer", "glu-transformer"}) {
    options.family = family;
    expect_round_trip(options);
    expect_round_trip(options, PlanUse::verify);
  }
  options.tokens = 3, options.heads = 4, options.kv_heads = 2, options.causal = true, options.rope = true;
  options.qk_norm = "rms_norm", options.final_norm = true, options.wrt = "token:1", options.of = "token:2";
  expect_round_trip(options);
  const Json plan = Json::parse(plan_json(world().plan(options)));
  EXPECT_EQ(plan["tokens"], 3);
  EXPECT_EQ(plan["heads"], 4);
  EXPECT_EQ(plan["kv_heads"], 2);
  EXPECT_EQ(plan["causal"], true);
  EXPECT_EQ(plan["rope"], true);
  EXPECT_EQ(plan["qk_norm"], "rms_norm");
  EXPECT_EQ(plan["final_norm"], true);
  EXPECT_EQ(plan["wrt"], "token:1");
  EXPECT_EQ(plan["of"], "token:2");
}

TEST(PlanJson, AViewOfAStackFileMakesTheRoundTrip) {
  PlanOptions stack;
  stack.stack = {"s.safetensors"}, stack.wrt = "token:0", stack.of = "token:0", stack.final_norm = true;
  expect_round_trip(stack);
}

TEST(PlanJson, WithoutInitEachSchemeStartsAsItsSourceDoes) {
  PlanOptions options;
  options.scheme = {"rezero", "deepnorm"}, options.family = "transformer", options.width = Indices{8};
  EXPECT_FALSE(Json::parse(plan_json(world().plan(options))).contains("init"));
  options.init = {"xavier"};
  EXPECT_EQ(Json::parse(plan_json(world().plan(options)))["init"], Json::array({"xavier"}));
}

TEST(PlanJson, FilesAndVerdictsMakeTheRoundTrip) {
  PlanOptions options;
  options.scheme = {"rezero:alphas=a.json"}, options.width = Indices{4}, options.input = "x.npy";
  expect_round_trip(options);
  options.check = {"alive", "isometry:tol=0.25"}, options.cotangent = "ones";
  expect_round_trip(options, PlanUse::verify);
  PlanOptions stack;
  stack.stack = {"s.safetensors"};
  expect_round_trip(stack);
  stack.input = "x.npy", stack.depth = Indices{1, 2};
  expect_round_trip(stack);
  expect_round_trip(stack, PlanUse::verify);
  stack.stack = std::vector<std::string>{"s.safetensors", "t.safetensors"};
  expect_round_trip(stack);
  stack.stack = std::vector<std::string>{"s.safetensors"}, stack.input = "samples.npy";
  expect_round_trip(stack);
  stack.stack = std::vector<std::string>{"s.safetensors", "t.safetensors"},
  stack.input = "samples.npy,samples.npy";
  expect_round_trip(stack);
}

TEST(PlanJson, APlanOfTheOtherCommandIsUnderstood) {
  PlanOptions options;
  options.scheme = {"rezero"};
  const std::string verdict = plan_json(world().plan(options, PlanUse::verify));
  EXPECT_EQ(plan_json(world().plan(plan_options_from_json(verdict, "p"))), plan_json(world().plan(options)));
  const std::string report = plan_json(world().plan(options));
  EXPECT_EQ(plan_json(world().plan(plan_options_from_json(report, "p"), PlanUse::verify)), verdict);
}

TEST(PlanJson, ListsMayBeWrittenAsOptions) {
  const PlanOptions options = plan_options_from_json(
      R"({"scheme": "plain,fixed:alpha=0.2", "depth": "1:8:x2", "width": 32, "seed": "0:3"})", "p");
  EXPECT_EQ(*options.scheme, (std::vector<std::string>{"plain", "fixed:alpha=0.2"}));
  EXPECT_EQ(*options.depth, (Indices{1, 2, 4, 8}));
  EXPECT_EQ(*options.width, Indices{32});
  EXPECT_EQ(options.seed->size(), 4u);
  EXPECT_FALSE(options.family);
}

TEST(PlanJson, NullIsNoValue) {
  EXPECT_EQ(error_of(R"({"width": null})"),
            "plan 'p': width: null is not a value (leave the key out for the default)");
  for (const char* plan : {R"({"plan": {"files": null}})", R"({"depth": [null]})", R"({"scheme": [null]})"})
    EXPECT_NE(error_of(plan).find("null"), std::string::npos) << plan;
}

TEST(PlanJson, FormatOfAnotherToolIsRefused) {
  EXPECT_EQ(error_of(R"({"schema": 1, "plan": {}})"),
            "plan 'p': schema: expected a string, found the number 1");
  for (const char* format : {"other/report/1", "rezero-analyze/report/2"})
    EXPECT_EQ(error_of("{\"schema\": \"" + std::string(format) + "\", \"plan\": {}}")
                  .find("plan 'p': schema: unknown format '" + std::string(format) + "' (known: "),
              0u);
  EXPECT_EQ(error_of(R"({"schema": "rezero-analyze/report/1"})"), "plan 'p': the key 'plan' is missing");
  EXPECT_NE(error_of(R"({"schema": null, "width": 4})").find("schema"), std::string::npos);
}

TEST(PlanJson, FaultsNameTheirPath) {
  EXPECT_EQ(
      error_of(R"({"plan": {"depth": [1, 2, "x"]}})"),
      "plan 'p': plan.depth[2]: expected a whole number from 1 to 9007199254740992, found the string 'x'");
  EXPECT_EQ(error_of(R"({"scheem": "plain"})").find("plan 'p': unknown key 'scheem'"), 0u);
  EXPECT_NE(error_of(R"({"scheem": "plain"})").find("Did you mean 'scheme'?"), std::string::npos);
  EXPECT_EQ(error_of(R"({"scheme": ["plain", "rezro"]})").find("plan 'p': scheme[1]: unknown scheme 'rezro'"),
            0u);
  EXPECT_EQ(error_of(R"({"depth": "4:1"})").find("plan 'p': depth: "), 0u);
  EXPECT_EQ(error_of(R"({"seed": [-1]})").find("plan 'p': seed[0]: "), 0u);
  EXPECT_EQ(error_of(R"({"qk_norm": "layernrm"})").find("plan 'p': qk_norm: unknown norm 'layernrm'"), 0u);
  EXPECT_EQ(error_of(R"({"wrt": "pixel:1"})").find("plan 'p': wrt: wrt 'pixel:1' is not token:i"), 0u);
  EXPECT_EQ(error_of(R"({"seed": ["1,2"]})").find("plan 'p': seed[0]: "), 0u);
  EXPECT_EQ(error_of(R"({"seed": [1e17]})").find("plan 'p': seed[0]: "), 0u);
  for (const char* bad : {"[]",
                          "1",
                          "",
                          "{\"depth\": []}",
                          "{\"tied\": 1}",
                          "{\"profile\": \"yes\"}",
                          "{\"hidden_ratio\": \"1\"}",
                          "{\"top\": 0}",
                          "{\"files\": [{\"path\": \"a\"}]}",
                          "{\"files\": [{\"path\": \"a\", \"sha256\": \"x\"}]}",
                          "{\"depth\": 1, \"depth\": 2}",
                          "{\"init\": [\"he:gain\"]}",
                          "{\"tokens\": 0}",
                          "{\"heads\": [4]}",
                          "{\"kv_heads\": 1.5}",
                          "{\"causal\": 1}",
                          "{\"rope\": 10000}",
                          "{\"qk_norm\": \"rms-nrm\"}",
                          "{\"wrt\": 1}",
                          "{\"of\": \"token:x\"}",
                          "{\"wrt\": \"token:-1\"}",
                          "{\"final_norm\": \"layer_norm\"}",
                          "{\"check\": [\"identiti\"]}",
                          "{\"method\": \"x\"}"})
    EXPECT_NE(error_of(bad), "no error") << bad;
}

TEST(PlanJson, WhatTheCommandLineSaysWins) {
  const PlanOptions base = plan_options_from_json(R"({"scheme": "plain", "depth": 3, "profile": true})", "p");
  PlanOptions over;
  over.scheme = {"rezero"}, over.profile = false;
  const PlanOptions merged = merge(base, over);
  EXPECT_EQ(*merged.scheme, std::vector<std::string>{"rezero"});
  EXPECT_EQ(*merged.depth, Indices{3});
  EXPECT_FALSE(*merged.profile);
}

}  // namespace
}  // namespace rezero
