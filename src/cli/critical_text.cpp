#include <cmath>
#include <nlohmann/json.hpp>

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
                      number_or_none(theory::depth_scale(at.fixed.slope)), short_number(at.kurtosis),
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
      return factor ? number_or_none(theory::depth_scale(*factor)) : none;
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
  std::string text = "Family " + query.family + ", φ = " + query.activation.canonical() + ", depth " +
                     std::to_string(query.depth) + "; m1 = mean of σ² of J, at infinite width\n";
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
    if (!at.note.empty()) text += "  " + at.scheme + ": " + at.note + "\n";
  }
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<Real>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}
Json whole(const std::optional<Index>& value) {
  return value ? Json(*value) : Json();
}

Json header(const CriticalQuery& query) {
  return {{"family", query.family},
          {"activation", query.activation.canonical()},
          {"depth", query.depth},
          {"bound", query.bound},
          {"range", query.trainability.range},
          {"correlation", query.trainability.rho},
          {"max_depth", query.trainability.limit}};
}

Json fixed_point_json(const theory::FixedPoint& at) {
  return {{"q", at.q}, {"slope", number(at.slope)}, {"stability", std::string(to_string(at.stability))}};
}

Json trainable_json(const theory::TrainableDepth& at) {
  Json json = {{"gradient", whole(at.gradient)}, {"correlation", whole(at.correlation)}};
  if (!at.reason.empty()) json["reason"] = at.reason;
  return json;
}

Json point_json(const theory::CriticalPoint& at) {
  Json json = {{"sigma_w", std::sqrt(at.weight)}, {"sigma_b", std::sqrt(at.bias)}};
  json.update(fixed_point_json(at.fixed));
  json["xi_q"] = number(theory::depth_scale(at.fixed.slope));
  json["slope_kurtosis"] = at.kurtosis;
  return json;
}

Json net_json(const CriticalNet& net) {
  Json json = point_json(net.point);
  json["trainable_depth"] = trainable_json(net.trainable);
  for (const SpreadReport& spread : net.spreads)
    json[spread.ensemble == theory::Ensemble::haar ? "orthogonal" : "gaussian"] = {
        {"relative_variance", spread.relative_variance},
        {"log_sigma_max", number(spread.log_sigma_max)},
        {"depth_within_variance", whole(spread.within.by_variance)},
        {"depth_within_sigma_max", whole(spread.within.by_maximum)}};
  return json;
}

Json line_json(const PlainReport::Line& line) {
  Json json = Json::object();
  if (line.q) json["q"] = *line.q;
  if (line.sigma_b) json["sigma_b"] = *line.sigma_b;
  json["every_q"] = line.every_q;
  json["critical"] = Json::array();
  for (const CriticalNet& net : line.nets) json["critical"].push_back(net_json(net));
  if (!line.reason.empty()) json["reason"] = line.reason;
  return json;
}

Json phase_json(const PlainReport::Net& net) {
  const theory::PlainPhase& at = net.phase;
  const auto scale = [](const std::optional<Real>& factor) {
    return factor ? number(theory::depth_scale(*factor)) : Json();
  };
  Json json = {{"sigma_w", net.sigma_w},
               {"sigma_b", net.sigma_b},
               {"phase", std::string(to_string(at.phase))},
               {"q", number(at.q)},
               {"slope", number(at.slope)},
               {"chi", number(at.chi)},
               {"correlation", number(at.correlation)},
               {"xi_q", scale(at.slope)},
               {"xi_c", scale(at.correlation_slope)}};
  json["fixed_points"] = Json::array();
  for (const theory::FixedPoint& point : at.fixed_points)
    json["fixed_points"].push_back(fixed_point_json(point));
  json["trainable_depth"] = trainable_json(net.trainable);
  return json;
}

}  // namespace

std::string critical_json(const CriticalQuery& query, const PlainReport& report) {
  Json json = header(query);
  if (!report.nets.empty()) {
    for (const PlainReport::Net& net : report.nets) json["nets"].push_back(phase_json(net));
    return json.dump(2) + "\n";
  }
  for (const PlainReport::Line& line : report.lines) json["lines"].push_back(line_json(line));
  json["stability_changes"] = Json::array();
  for (const theory::CriticalPoint& at : report.stability_changes)
    json["stability_changes"].push_back(point_json(at));
  return json.dump(2) + "\n";
}

std::string critical_json(const CriticalQuery& query, const std::vector<SchemeReport>& report) {
  Json json = header(query);
  for (const SchemeReport& at : report) {
    Json row = {{"scheme", at.scheme},
                {"log_first_moment", number(at.log_first_moment)},
                {"trainable_depth", trainable_json(at.trainable)}};
    if (!at.note.empty()) row["note"] = at.note;
    if (at.scale) {
      row["within_bound"] = {
          {"parameter", at.parameter},
          {"value", number(at.scale->value)},
          {"branch_scale", number(at.scale->alpha)},
          {"log_first_moment", at.scale->value ? number(at.scale->log_first_moment) : Json()},
          {"scheme", at.scale->scheme},
          {"method", at.scale->method}};
      if (!at.scale->reason.empty()) row["within_bound"]["reason"] = at.scale->reason;
    }
    json["schemes"].push_back(row);
  }
  return json.dump(2) + "\n";
}

}  // namespace rezero::cli
