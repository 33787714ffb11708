/// The strict parser accepts every kind of text that renderers write, and it conforms to the schema.
#include "rezero/report/schema.h"

#include <gtest/gtest.h>

#include <sstream>

#include "fixtures.h"
#include "io/strict_json.h"
#include "json_schema.h"
#include "rezero/io/npy.h"

namespace rezero {
namespace {

using namespace test;

std::string fault(std::string_view schema, std::string_view text) {
  const SchemaValidator validator(parse_strict_json(report_schema(schema), "schema"));
  return validator.fault(parse_strict_json(text, "text"));
}

std::string stream_fault(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::string problem = fault("ndjson", line); !problem.empty())
      return line.substr(0, 60) + problem;
  return {};
}

void expect_conforming(const SweepPlan& plan, const std::vector<CellResult>& results,
                       const SweepSummary& summary) {
  const char* kind = plan.analysis.checks.empty() ? "report" : "verdict";
  EXPECT_EQ(fault(kind, written(plan, "json", results, summary)), "");
  EXPECT_EQ(stream_fault(written(plan, "ndjson", results, summary)), "");
  EXPECT_EQ(fault("plan", plan_json(plan)), "");
}

void expect_run_conforms(const SweepPlan& plan) {
  std::vector<CellResult> results;
  const SweepSummary summary =
      run_sweep(plan, expand_cells(plan), {}, [&](const CellResult& result) { results.push_back(result); });
  expect_conforming(plan, results, summary);
}

TEST(Schema, RunsOfAllKindsConform) {
  PlanOptions options = small_options();
  expect_run_conforms(plan_of(options));
  options.seed = std::vector<std::uint64_t>{0, 1, 18446744073709551615u};
  options.profile = true;
  expect_run_conforms(plan_of(options));
  options.values = "log10";
  expect_run_conforms(plan_of(options));
  options.values = "none", options.top = 2, options.profile.reset();
  expect_run_conforms(plan_of(options));
  options.values = "linear", options.bottom = 1;
  expect_run_conforms(plan_of(options));
  options = small_options(), options.family = "linear";
  expect_run_conforms(plan_of(options));
}

TEST(Schema, EndsByProductsAndDensitiesConform) {
  PlanOptions options = transformer_options();
  options.method = "spectra", options.top = 3;
  expect_run_conforms(plan_of(options));
  options.method = "density", options.top.reset();
  const SweepPlan plan = plan_of(options);
  expect_run_conforms(plan);
  const std::string text = run_and_write(plan, "json");
  EXPECT_NE(text.find("\"density\": {\"converged\": "), std::string::npos);
  EXPECT_EQ(text.find("\"singular_values\""), std::string::npos);
  EXPECT_NE(run_and_write(plan, "table").find("density of n = 24"), std::string::npos);
}

TEST(Schema, FailuresConform) {
  PlanOptions options = small_options();
  options.family = "glu", options.depth = std::vector<Index>{2, 2000};
  const SweepPlan plan = plan_of(options);
  EXPECT_NE(run_and_write(plan, "json").find("\"failures\": [\n"), std::string::npos);
  expect_run_conforms(plan);
}

TEST(Schema, VerdictsConform) {
  PlanOptions options = small_options();
  options.check = {"identity", "isometry:tol=0.2", "alive"};
  options.scheme = {"rezero", "residual", "dead"};
  expect_run_conforms(plan_of(options, PlanUse::verify));
}

TEST(Schema, TransformerRowsConform) {
  PlanOptions options = transformer_options();
  options.scheme = {"rezero", "post-ln", "pre-rms", "admin", "deepnorm", "mix-ln", "ngpt", "t-fixup"};
  options.profile = true;
  expect_run_conforms(plan_of(options));
  options.heads = 2, options.kv_heads = 1, options.causal = true, options.rope = true,
  options.qk_norm = "l2_norm";
  options.final_norm = true, options.wrt = "token:1", options.of = "token:2", options.profile.reset();
  expect_run_conforms(plan_of(options));
  options.values = "log10", options.of.reset();
  expect_run_conforms(plan_of(options));
  options = transformer_options(), options.scheme = {"rezero", "adaln-zero", "post-ln"};
  expect_run_conforms(plan_of(options, PlanUse::verify));
}

TEST(Schema, StackRowsConform) {
  PlanOptions options;
  options.stack = {std::string(REZERO_TEST_DATA) + "/report/none.safetensors"};
  ResolveContext context;
  context.read_file = [](const std::string&) { return std::string("bytes"); };
  context.read_stack = [](std::string_view, const std::string&) {
    StackSpec spec("residual", "mlp");
    spec.width = 4;
    return build_stack(spec, 0, 3);
  };
  expect_run_conforms(resolve_plan(options, context));
  options.input = "ones", context.use = PlanUse::verify;
  expect_run_conforms(resolve_plan(options, context));
}

TEST(Schema, CheckpointsAndSamplesConform) {
  PlanOptions options;
  options.stack = std::vector<std::string>{"a.safetensors", "b.safetensors"}, options.input = "x.npy";
  ResolveContext context;
  context.read_file = [](const std::string& path) {
    return path == "x.npy" ? npy_bytes({{2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}) : path;
  };
  context.read_stack = [](std::string_view, const std::string&) {
    StackSpec spec("residual", "mlp");
    spec.width = 4;
    return build_stack(spec, 0, 3);
  };
  expect_run_conforms(resolve_plan(options, context));
  context.use = PlanUse::verify;
  expect_run_conforms(resolve_plan(options, context));
}

TEST(Schema, RowsWithoutValuesConform) {
  const SweepPlan plan = plan_of(small_options());
  Spectrum broken = full_spectrum({});
  broken.dimension = 6, broken.accuracy.certified = false, broken.status = SpectrumStatus::breakdown;
  broken.message = "no method passed its certificate",
  broken.provenance.fallbacks = {{"dense", "not \"finite\""}};
  Spectrum ends = full_spectrum({ScaledReal::make(2), ScaledReal::make(1)});
  ends.dimension = 6, ends.part = SpectrumPart::both_ends, ends.leading = 1,
  ends.extremal = Extremal::probabilistic, ends.multiplicity = Multiplicity::cut;
  Spectrum wide =
      full_spectrum({ScaledReal::make(1, 5000), ScaledReal::make(1, 4990), ScaledReal::make(1, 0)});
  expect_conforming(plan, {row_of(broken), row_of(ends), row_of(wide)}, {});
}

TEST(Schema, TheValidatorNoticesFaults) {
  nlohmann::ordered_json report =
      parse_strict_json(run_and_write(plan_of(small_options()), "json"), "report");
  EXPECT_EQ(fault("report", report.dump()), "");
  const auto broken = [&](const char* pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json copy = report;
    copy[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return fault("report", copy.dump());
  };
  EXPECT_EQ(broken("/extra", 1), "$.extra: not in the schema");
  EXPECT_EQ(broken("/results/0/seed", 0), "$.results[0].seed: type [\"string\",\"null\"]");
  EXPECT_NE(broken("/results/0/status", "fine"), "");
  EXPECT_NE(broken("/results/0/metrics/sigma_max", "1"), "");
  EXPECT_NE(broken("/plan/files", nullptr), "");
  EXPECT_NE(broken("/plan/stack", "x"), "");
}

TEST(Schema, UnknownNamesAreRefused) {
  EXPECT_THROW(report_schema("reprot"), UsageError);
}

}  // namespace
}  // namespace rezero
