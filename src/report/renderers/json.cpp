/// The JSON documents: indented at the top, one line per entry of every list, written as results arrive.

#include <algorithm>

#include "report/file_verdicts.h"
#include "report/json_writer.h"
#include "report/result_json.h"
#include "report/schema_names.h"
#include "rezero/report/renderer.h"

namespace rezero::detail {
namespace {

/// The common part of reports and verdicts: the head, failures collected for the end, the tail.
class JsonDocument : public Renderer {
 protected:
  explicit JsonDocument(Output output) : json_(std::move(output)) {}

  void head(const ReportContext& context, ReportKind kind) {
    json_.begin_object();
    top("schema"), json_.text(format_of(kind));
    top("tool"), write_tool(json_, context.tool);
    top("plan"), json_.raw(context.plan_json);
  }
  void top(std::string_view key) { json_.line(2), json_.key(key); }
  void keep_failures(const CellResult& result) {
    for (const CellFailure& failure : result.failures)
      failures_.push_back(
          object_text([&](JsonWriter& json) { failure_members(json, result.labels, failure); }));
  }
  void begin_list(std::string_view key) { top(key), json_.begin_array(); }
  void end_list() { json_.line(2), json_.end_array(); }
  void list(std::string_view key, const std::vector<std::string>& entries) {
    begin_list(key);
    for (const std::string& entry : entries) json_.line(4), json_.raw(entry);
    entries.empty() ? json_.end_array() : end_list();
  }
  void tail(const RunInfo& run) {
    list("failures", failures_);
    top("run"), write_run(json_, run);
    json_.line(0), json_.end_object();
    json_.end_line();
  }

  JsonWriter json_;
  std::vector<std::string> failures_;
};

class JsonReport final : public JsonDocument {
 public:
  explicit JsonReport(Output output) : JsonDocument(std::move(output)) {}

  void begin(const ReportContext& context) override {
    values_ = context.plan->analysis.values;
    head(context, ReportKind::report);
    top("metrics"), write_metric_definitions(json_, 2);
    begin_list("results");
    json_.flush();
  }
  void cell(const CellResult& result) override {
    for (const DepthResult& depth : result.depths) {
      json_.line(4), json_.begin_object();
      result_members(json_, result.labels, depth, values_);
      json_.end_object();
    }
    keep_failures(result);
    json_.flush();
  }
  void end(const SweepSummary& summary, const RunInfo& run) override {
    end_list();
    begin_list("summary");
    for (const SummaryRow& row : summary.rows) {
      json_.line(4), json_.begin_object();
      summary_members(json_, row);
      json_.end_object();
    }
    end_list();
    tail(run);
  }

 private:
  ValuesMode values_ = ValuesMode::linear;
};

/// `pass` precedes the checks, so these wait for the end; they are small.
class JsonVerdict final : public JsonDocument {
 public:
  explicit JsonVerdict(Output output) : JsonDocument(std::move(output)) {}

  void begin(const ReportContext& context) override {
    files_.begin(*context.plan);
    head(context, ReportKind::verdict);
  }
  void cell(const CellResult& result) override {
    files_.add(result);
    for (const DepthResult& depth : result.depths)
      for (const CheckResult& check : depth.checks) {
        pass_ = pass_ && !check.fails();
        checks_.push_back(
            object_text([&](JsonWriter& json) { check_members(json, result.labels, depth.depth, check); }));
      }
    keep_failures(result);
  }
  void end(const SweepSummary&, const RunInfo& run) override {
    top("pass"), json_.boolean(pass_ && failures_.empty() && !checks_.empty());
    if (!files_.empty()) list("checkpoints", files_.entries());
    list("checks", checks_);
    tail(run);
  }

 private:
  bool pass_ = true;
  std::vector<std::string> checks_;
  FileVerdicts files_;
};

}  // namespace

RendererKind renderer_json() {
  RendererKind kind;
  kind.name = "json";
  kind.summary = "one JSON document";
  kind.extensions = {".json"};
  kind.emission = Emission::document;
  kind.report = [](Output output) -> std::unique_ptr<Renderer> {
    return std::make_unique<JsonReport>(std::move(output));
  };
  kind.verdict = [](Output output) -> std::unique_ptr<Renderer> {
    return std::make_unique<JsonVerdict>(std::move(output));
  };
  return kind;
}

}  // namespace rezero::detail
