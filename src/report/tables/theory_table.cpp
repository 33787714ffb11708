#include "report/tables/theory_table.h"

#include <algorithm>
#include <map>

#include "report/number_text.h"
#include "report/tables/columns.h"
#include "report/tables/headline.h"
#include "rezero/core/text.h"

namespace rezero::detail {
namespace {

constexpr std::size_t line_width = 100, heading_indent = 4;

using Cells = std::vector<std::string>;

std::string statistic_text(const TheorySummary& theory, std::string_view name) {
  for (const TheoryComparison& comparison : theory.comparisons) {
    if (comparison.name != name) continue;
    const theory::Agreement& agreement = comparison.agreement;
    if (!agreement.statistic) return "–";
    const bool wrong = agreement.verdict == theory::Verdict::disagrees;
    return short_number(*agreement.statistic) + (wrong ? "!" : "");
  }
  return "–";
}

/// All but the verdict, which is aligned on the left.
Cells cells_of(const SummaryRow& row) {
  const TheorySummary& theory = *row.theory;
  Cells cells = {std::to_string(row.depth)};
  if (!theory.outlook->law) {
    cells.insert(cells.end(), 5, "–");
  } else {
    cells.push_back(predicted_text(*theory.outlook, "mean_square", "log10_mean_square"));
    cells.push_back(statistic_text(theory, "log10_mean_square"));
    cells.push_back(predicted_text(*theory.outlook, "sigma_max", "log10_sigma_max"));
    cells.push_back(statistic_text(theory, "log10_sigma_max"));
    cells.push_back(statistic_text(theory, "spectrum"));
  }
  return cells;
}

}  // namespace

std::string predicted_text(const theory::Outlook& outlook, std::string_view metric,
                           std::string_view log10_metric) {
  const auto value = [&](std::string_view name) { return theory::predictions().at(name).value(outlook); };
  if (const auto number = value(metric)) return short_number(*number);
  if (log10_metric.empty()) return "–";
  const auto log10 = value(log10_metric);
  return log10 ? short_power(*log10) : "–";
}

std::string theory_table(const SweepPlan& plan, const std::vector<SummaryRow>& rows) {
  const Cells titles = {"depth", "mean σ²", "t", "σ max", "z", "n·KS"};
  std::vector<Cells> lines;
  AlignedColumns layout(titles);
  for (const SummaryRow& row : rows) {
    lines.push_back(row.theory ? cells_of(row) : Cells{});
    layout.widen(lines.back());
  }
  if (std::all_of(lines.begin(), lines.end(), [](const Cells& cells) { return cells.empty(); })) return "";

  std::string text =
      "\nTheory at infinite width, beside the measurements\n" + layout.line(titles) + "  verdict\n";
  std::string group, last_reason;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::string heading = full_heading(plan, rows[i].labels);
    if (heading != group) text += wrapped(heading, line_width, heading_indent) + "\n", last_reason.clear();
    group = heading;
    const std::string& reason = rows[i].theory->outlook->reason;
    if (reason.empty())
      text += layout.line(lines[i]) + "  " + std::string(to_string(rows[i].theory->verdict)) + "\n";
    else if (reason != last_reason)
      text += wrapped("  no theory: " + printable(reason), line_width, heading_indent) + "\n";
    last_reason = reason;
  }
  text +=
      "\nt: of the mean of log mean σ²; z: of the largest σ, in units of its spread (Tracy–Widom);\n"
      "n·KS: distance of spectra from the predicted law, up to 6 agrees, above 9 disagrees (more where "
      "finite\n"
      "width adds to it). !: disagrees; t does so by chance once in a hundred rows.\n";
  return text;
}

}  // namespace rezero::detail
