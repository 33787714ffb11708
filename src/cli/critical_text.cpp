#include <cmath>

#include "cli/critical_report.h"
#include "report/number_text.h"
#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

using detail::short_number;
using Row = std::vector<std::string>;

const std::string none = "–";

/// Columns, right-aligned after the first.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], display_width(row[j]));
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t j = 0; j < row.size(); ++j)
      line += " " + (j == 0 ? pad_right(row[j], widths[j]) : " " + pad_left(row[j], widths[j]));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string number_or_none(const std::optional<Real>& value) {
  return value ? short_number(*value) : none;
}

std::string depth_or_more(const std::optional<Index>& depth, const std::string& otherwise) {
  return depth ? std::to_string(*depth) : otherwise;
}

std::string searched(const theory::TrainableDepth& trainable) {
  return trainable.reason.empty() ? "≥ " + std::to_string(trainable.limit) : none;
}

std::string formula(const CriticalQuery& query) {
  if (query.family == "linear") return "x' = W x + b";
  return (query.family == "dense" ? "x' = φ(W x + b)" : "x' = W φ(x) + b") + std::string(", φ = ") +
         query.activation.canonical();
}

/// What the columns about trainable depths mean.
std::string legend(const CriticalQuery& query) {
  const std::string k = shortest(query.trainability.range);
  return "  gradient: largest depth at which the norm of a gradient keeps within e^±" + k +
         "; correlation: the same for 1 − ρ\n  of two inputs with |x|² = n and ρ = " +
         shortest(query.trainability.rho) + "\n";
}

std::vector<Row> point_rows(const PlainReport& report) {
  std::vector<Row> rows = {
      {"σ_b", "σ_w", "σ_w²", "q*", "V′(q*)", "fixed point", "ξ_q", "κ", "gradient", "correlation"}};
  for (const PlainReport::Line& line : report.lines)
    for (const CriticalNet& net : line.nets) {
      const theory::CriticalPoint& at = net.point;
      rows.push_back({short_number(std::sqrt(at.bias)), short_number(std::sqrt(at.weight)),
                      short_number(at.weight), line.every_q && !line.q ? "any" : short_number(at.fixed.q),
                      short_number(at.fixed.slope), std::string(to_string(at.fixed.stability)),
                      number_or_none(theory::decay_depth(at.fixed.slope)), short_number(at.kurtosis),
                      depth_or_more(net.trainable.gradient, searched(net.trainable)),
                      depth_or_more(net.trainable.correlation, searched(net.trainable))});
    }
  return rows;
}

std::vector<Row> spread_rows(const CriticalQuery& query, const PlainReport& report) {
  const std::string at = " at " + std::to_string(query.depth), bound = shortest(query.bound);
  std::vector<Row> rows = {{"σ_b", "σ_w", "weights", "relvar" + at, "σ_max" + at,
                            "depth with relvar ≤ " + bound, "with σ_max ≤ " + bound}};
  for (const PlainReport::Line& line : report.lines)
    for (const CriticalNet& net : line.nets)
      for (const SpreadReport& spread : net.spreads)
        rows.push_back({short_number(std::sqrt(net.point.bias)), short_number(std::sqrt(net.point.weight)),
                        spread.ensemble == theory::Ensemble::haar ? "orthogonal" : "Gaussian",
                        short_number(spread.relative_variance),
                        detail::short_power(spread.log_sigma_max / std::log(10.0)),
                        depth_or_more(spread.within.by_variance, "any"),
                        depth_or_more(spread.within.by_maximum, "any")});
  return rows;
}

/// Lines without critical nets, those with the same reason together.
std::string reasons(const PlainReport& report) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const PlainReport::Line& line : report.lines) {
    if (!line.nets.empty()) continue;
    const std::string value = shortest(line.q ? *line.q : *line.sigma_b);
    if (groups.empty() || groups.back().second != line.reason)
      groups.emplace_back((line.q ? "q* = " : "σ_b = ") + value, line.reason);
    else
      groups.back().first += ", " + value;
  }
  std::string text;
  for (const auto& [values, reason] : groups) text += "  none with " + values + ": " + reason + "\n";
  return text;
}

std::vector<Row> phase_rows(const PlainReport& report) {
  std::vector<Row> rows = {
      {"σ_w", "σ_b", "phase", "q*", "V′(q*)", "χ₁", "c*", "ξ_q", "ξ_c", "gradient", "correlation"}};
  for (const PlainReport::Net& net : report.nets) {
    const theory::PlainPhase& at = net.phase;
    const auto scale = [](const std::optional<Real>& factor) {
      return factor ? number_or_none(theory::decay_depth(*factor)) : none;
    };
    rows.push_back({short_number(net.sigma_w), short_number(net.sigma_b), std::string(to_string(at.phase)),
                    number_or_none(at.q), number_or_none(at.slope), number_or_none(at.chi),
                    number_or_none(at.correlation), scale(at.slope), scale(at.correlation_slope),
                    depth_or_more(net.trainable.gradient, searched(net.trainable)),
                    depth_or_more(net.trainable.correlation, searched(net.trainable))});
  }
  return rows;
}

}  // namespace

std::string critical_text(const CriticalQuery& query, const PlainReport& report) {
  std::string text = "Plain nets " + formula(query) + "\n";
  if (!report.nets.empty())
    return text + "q* is the variance of φ's argument far down, c* the correlation of two inputs there\n" +
           table(phase_rows(report)) + legend(query);
  text +=
      "Critical: χ₁ = σ_w² E φ′² = 1 at a fixed point q* of V(q) = σ_w² E φ² + σ_b², κ = E φ′⁴/(E φ′²)²\n";
  const std::vector<Row> points = point_rows(report);
  if (points.size() > 1) text += table(points) + legend(query);
  text += reasons(report);
  for (const theory::CriticalPoint& at : report.stability_changes)
    text += "  the fixed point becomes stable or unstable at σ_b = " + short_number(std::sqrt(at.bias)) +
            ", σ_w = " + short_number(std::sqrt(at.weight)) + ", q* = " + short_number(at.fixed.q) + "\n";
  if (points.size() > 1)
    text += "Spread of J: relvar = m2/m1² − 1, at infinite width\n" + table(spread_rows(query, report));
  return text;
}

std::string critical_text(const CriticalQuery& query, const std::vector<SchemeReport>& report) {
  std::string text = "Family " + query.family + ", φ = " + query.activation.canonical() + ", width " +
                     std::to_string(query.width) + ", depth " + std::to_string(query.depth) +
                     "; m1 = mean of σ² of J\n";
  std::vector<Row> rows = {{"scheme", "m1", "gradient", "correlation",
                            "m1 ≤ " + shortest(query.bound) + " with", "branch scale", "by"}};
  for (const SchemeReport& at : report) {
    const bool solved = at.scale && at.scale->value;
    rows.push_back({at.scheme,
                    at.log_first_moment ? detail::short_power(*at.log_first_moment / std::log(10.0)) : none,
                    depth_or_more(at.trainable.gradient, searched(at.trainable)),
                    depth_or_more(at.trainable.correlation, searched(at.trainable)),
                    solved ? at.parameter + " = " + short_number(*at.scale->value) : none,
                    at.scale ? number_or_none(at.scale->alpha) : none, solved ? at.scale->method : none});
  }
  text += table(rows) + legend(query);
  for (const SchemeReport& at : report) {
    const std::string& reason = at.scale ? at.scale->reason : at.trainable.reason;
    if (!reason.empty()) text += "  " + at.scheme + ": " + reason + "\n";
  }
  return text;
}

}  // namespace rezero::cli
