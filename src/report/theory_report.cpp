#include "rezero/report/theory_report.h"

#include <algorithm>

#include "report/number_text.h"
#include "report/result_json.h"
#include "report/tables/columns.h"
#include "report/tables/headline.h"
#include "report/tables/theory_table.h"
#include "report/theory_json.h"
#include "rezero/core/text.h"

namespace rezero {
namespace {

using namespace detail;

constexpr std::size_t line_width = 100, heading_indent = 4;

struct Column {
  std::string_view title, metric;
  std::string_view log10_metric = "";  ///< shown instead if the number does not fit into a double
};
constexpr Column columns[] = {{"mean σ²", "mean_square", "log10_mean_square"},
                              {"m2/m1²−1", "relative_variance"},
                              {"σ max", "sigma_max", "log10_sigma_max"},
                              {"median σ", "median_sigma"},
                              {"σ min", "sigma_min", "log10_sigma_min"},
                              {"mean ln σ", "mean_log_sigma"},
                              {"sd ln σ", "std_log_sigma"},
                              {"σ≈1", "isometry_fraction"}};

}  // namespace

std::string theory_report_json(const ReportContext& context, const std::vector<PredictionRow>& rows) {
  std::string text;
  JsonWriter json([&text](std::string_view piece) { text += piece; });
  json.begin_object();
  json.line(2), json.member("schema", "rezero-analyze/theory/1");
  json.line(2), json.key("tool"), write_tool(json, context.tool);
  json.line(2), json.key("plan"), json.raw(context.plan_json);
  json.line(2), json.key("predictions"), json.begin_array();
  for (const PredictionRow& row : rows) {
    json.line(4), json.begin_object();
    label_members(json, row.labels);
    json.member("depth", row.depth), json.member("blocks", row.blocks);
    outlook_members(json, *row.outlook);
    json.end_object();
  }
  json.line(2), json.end_array();
  json.line(0), json.end_object();
  json.end_line();
  json.flush();
  return text;
}

std::string theory_report_table(const ReportContext& context, const std::vector<PredictionRow>& rows) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> titles = {"depth"};
  for (const Column& column : columns) titles.emplace_back(column.title);
  AlignedColumns layout(titles);
  for (const PredictionRow& row : rows) {
    std::vector<std::string> line = {std::to_string(row.depth)};
    for (const Column& column : columns)
      line.push_back(row.outlook->law ? predicted_text(*row.outlook, column.metric, column.log10_metric)
                                      : std::string("–"));
    layout.widen(line);
    lines.push_back(std::move(line));
  }
  std::string text = layout.line(titles) + "\n", group, reason;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string heading = full_heading(*context.plan, rows[i].labels);
    if (heading != group) text += wrapped(heading, line_width, heading_indent) + "\n", reason.clear();
    group = heading;
    const theory::Outlook& outlook = *rows[i].outlook;
    if (outlook.law) {
      text += layout.line(lines[i]) + "\n";
      if (!outlook.spectrum && outlook.no_spectrum != reason)
        text += wrapped("  no density: " + printable(outlook.no_spectrum), line_width, heading_indent) + "\n";
      reason = outlook.no_spectrum;
    } else {
      if (outlook.reason != reason)
        text += wrapped("  no theory: " + printable(outlook.reason), line_width, heading_indent) + "\n";
      reason = outlook.reason;
    }
  }
  return text +
         "\nAt infinite width; the largest and smallest σ are means at the width given. σ≈1: share of σ in "
         "[0.9, 1.1].\n";
}

}  // namespace rezero
