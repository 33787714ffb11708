/// Comma-separated values according to RFC 4180: a header, then a row for each result and each failure. No
/// singular values: a row has a fixed number of fields.

#include <algorithm>
#include <cmath>

#include "report/csv_columns.h"
#include "report/published_values.h"
#include "report/swept_columns.h"
#include "rezero/report/renderer.h"

namespace rezero::detail {
namespace {

std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string number(const std::optional<Real>& value) {
  return value && std::isfinite(*value) ? shortest(*value) : std::string();
}

std::string whole(Index value) {
  return value > 0 ? std::to_string(value) : std::string();
}

class CsvReport final : public Renderer {
 public:
  explicit CsvReport(Output output) : output_(std::move(output)) {}

  void begin(const ReportContext& context) override {
    values_ = context.plan->analysis.values;
    swept_ = swept_columns(*context.plan);
    std::vector<std::string> fields = csv_columns(), swept;
    for (const SweptColumn& column : swept_) swept.push_back(column.title);
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(csv_labels().size()), swept.begin(),
                  swept.end());
    write(fields);
  }

  void cell(const CellResult& result) override {
    for (const DepthResult& depth : result.depths) {
      const Spectrum& spectrum = depth.spectrum;
      std::vector<std::string> fields = place(result.labels, depth.depth, depth.blocks);
      fields.push_back(whole(std::min(depth.rows, depth.cols)));
      fields.emplace_back(to_string(row_status(spectrum, values_)));
      for (std::size_t i = 0; i < metrics().size(); ++i)
        fields.push_back(i < depth.metrics.size() ? number(depth.metrics[i]) : std::string());
      fields.insert(fields.end(), {spectrum.provenance.method, spectrum.accuracy.certified ? "true" : "false",
                                   std::to_string(spectrum.unresolved()), spectrum.message});
      write(fields);
    }
    for (const CellFailure& failure : result.failures) {
      std::vector<std::string> fields = place(result.labels, failure.depth, 0);
      fields.insert(fields.end(), {whole(result.labels.dimension), "failed"});
      fields.insert(fields.end(), metrics().size() + 3, std::string());
      fields.push_back(failure.kind + ": " + failure.message);
      write(fields);
    }
  }

  void end(const SweepSummary&, const RunInfo&) override {}

 private:
  std::vector<std::string> place(const CellLabels& cell, Index depth, Index blocks) const {
    std::vector<std::string> fields;
    for (const Label& label : csv_labels()) fields.push_back(label_text(label, cell));
    for (const SweptColumn& column : swept_) {
      const ParamValue* value = column.value(cell);
      fields.push_back(value ? value->text : std::string());
    }
    fields.insert(fields.end(),
                  {whole(depth), whole(blocks), cell.seeded ? std::to_string(cell.seed) : std::string()});
    return fields;
  }

  void write(const std::vector<std::string>& fields) {
    std::string line;
    std::string_view separator = "";
    for (const std::string& field : fields)
      line += std::string(separator) + csv_field(field), separator = ",";
    output_(line + "\r\n");
  }

  Output output_;
  ValuesMode values_ = ValuesMode::linear;
  std::vector<SweptColumn> swept_;  ///< after the labels
};

}  // namespace

std::vector<Label> csv_labels() {
  std::vector<Label> all;
  for (const Label& label : labels())
    if (label.type != LabelType::params) all.push_back(label);
  return all;
}

std::vector<std::string> csv_columns() {
  std::vector<std::string> names;
  for (const Label& label : csv_labels()) names.emplace_back(label.key);
  names.insert(names.end(), {"depth", "blocks", "seed", "dimension", "status"});
  for (const Metric& metric : metrics()) names.emplace_back(metric.name);
  names.insert(names.end(), {"method", "certified", "unresolved", "message"});
  return names;
}

RendererKind renderer_csv() {
  RendererKind kind;
  kind.name = "csv";
  kind.summary = "a row of metrics for each result (RFC 4180), no singular values";
  kind.extensions = {".csv"};
  kind.emission = Emission::lines;
  kind.report = [](Output output) -> std::unique_ptr<Renderer> {
    return std::make_unique<CsvReport>(std::move(output));
  };
  return kind;
}

}  // namespace rezero::detail
