/// Newline-delimited JSON: a context line, one line per result as soon as it is known, a summary line.

#include "report/file_verdicts.h"
#include "report/json_writer.h"
#include "report/result_json.h"
#include "report/schema_names.h"
#include "rezero/report/renderer.h"

namespace rezero::detail {
namespace {

class NdjsonLines final : public Renderer {
 public:
  NdjsonLines(Output output, ReportKind kind) : json_(std::move(output)), kind_(kind) {}

  void begin(const ReportContext& context) override {
    values_ = context.plan->analysis.values;
    files_.begin(*context.plan);
    line("context", [&] {
      json_.member("schema", format_of(kind_));
      json_.key("tool"), write_tool(json_, context.tool);
      json_.key("plan"), json_.raw(context.plan_json);
      if (kind_ == ReportKind::report) json_.key("metrics"), write_metric_definitions(json_, -1);
    });
  }

  void cell(const CellResult& result) override {
    files_.add(result);
    for (const DepthResult& depth : result.depths)
      kind_ == ReportKind::report ? result_line(result.labels, depth) : check_lines(result.labels, depth);
    for (const CellFailure& failure : result.failures) {
      line("failure", [&] { failure_members(json_, result.labels, failure, "failure_kind"); });
      failures_.push_back(
          object_text([&](JsonWriter& json) { failure_members(json, result.labels, failure); }));
    }
  }

  void end(const SweepSummary& summary, const RunInfo& run) override {
    line("summary", [&] {
      if (kind_ == ReportKind::report)
        summary_rows(summary);
      else
        verdict_members();
      list("failures", failures_);
      json_.key("run"), write_run(json_, run);
    });
  }

 private:
  template <class F>
  void line(std::string_view kind, F&& members) {
    json_.begin_object();
    json_.member("kind", kind);
    members();
    json_.end_object();
    json_.end_line();
  }
  void result_line(const CellLabels& labels, const DepthResult& depth) {
    line("result", [&] { result_members(json_, labels, depth, values_); });
  }
  void check_lines(const CellLabels& labels, const DepthResult& depth) {
    for (const CheckResult& check : depth.checks) {
      line("check", [&] { check_members(json_, labels, depth.depth, check); });
      pass_ = pass_ && !check.fails();
      ++checks_;
    }
  }
  void verdict_members() {
    json_.member("pass", pass_ && failures_.empty() && checks_ > 0);
    if (!files_.empty()) list("checkpoints", files_.entries());
  }
  void list(std::string_view key, const std::vector<std::string>& entries) {
    json_.key(key), json_.begin_array();
    for (const std::string& entry : entries) json_.raw(entry);
    json_.end_array();
  }
  void summary_rows(const SweepSummary& summary) {
    json_.key("summary"), json_.begin_array();
    for (const SummaryRow& row : summary.rows) {
      json_.begin_object();
      summary_members(json_, row);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter json_;
  ReportKind kind_;
  ValuesMode values_ = ValuesMode::linear;
  bool pass_ = true;
  Index checks_ = 0;
  std::vector<std::string> failures_;
  FileVerdicts files_;
};

template <ReportKind kind>
std::unique_ptr<Renderer> make_lines(Output output) {
  return std::make_unique<NdjsonLines>(std::move(output), kind);
}

}  // namespace

RendererKind renderer_ndjson() {
  RendererKind kind;
  kind.name = "ndjson";
  kind.aliases = {"jsonl"};
  kind.summary = "JSON lines, each written as soon as its result is known";
  kind.extensions = {".ndjson", ".jsonl"};
  kind.emission = Emission::lines;
  kind.report = make_lines<ReportKind::report>;
  kind.verdict = make_lines<ReportKind::verdict>;
  kind.keeps_rows = true;
  return kind;
}

}  // namespace rezero::detail
