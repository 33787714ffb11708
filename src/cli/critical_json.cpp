#include <cmath>

#include "cli/critical_report.h"
#include "report/json_writer.h"

namespace rezero::cli {
namespace {

using detail::JsonWriter;

void whole(JsonWriter& json, std::string_view name, const std::optional<Index>& value) {
  if (value)
    json.member(name, *value);
  else
    json.null_member(name);
}

/// ξ of a factor per layer.
void depth_scale(JsonWriter& json, std::string_view name, const std::optional<Real>& factor) {
  json.member(name, factor ? theory::decay_depth(*factor) : std::nullopt);
}

void reason(JsonWriter& json, std::string_view text) {
  if (!text.empty()) json.member("reason", text);
}

void header(JsonWriter& json, const CriticalQuery& query) {
  json.line(2), json.member("family", query.family);
  json.line(2), json.member("activation", query.activation.canonical());
  json.line(2), json.member("depth", query.depth);
  json.line(2), json.member("bound", query.bound);
  json.line(2), json.member("range", query.trainability.range);
  json.line(2), json.member("correlation", query.trainability.rho);
  json.line(2), json.member("max_depth", query.trainability.limit);
}

/// For --init.
std::string gaussian_init(Real sigma_w, Real sigma_b) {
  const std::string text = "gaussian:sigma_w=" + shortest(sigma_w) + ":sigma_b=" + shortest(sigma_b);
  return Initializer(text).canonical();
}

void fixed_point(JsonWriter& json, const theory::FixedPoint& at) {
  json.member("q", at.q), json.member("slope", at.slope);
  json.member("stability", to_string(at.stability));
}

void trainable(JsonWriter& json, const theory::TrainableDepth& at, int indent) {
  json.line(indent), json.key("trainable_depth"), json.begin_object();
  whole(json, "gradient", at.gradient), whole(json, "correlation", at.correlation);
  reason(json, at.reason);
  json.end_object();
}

void critical_point(JsonWriter& json, const theory::CriticalPoint& at) {
  json.member("sigma_w", std::sqrt(at.weight)), json.member("sigma_b", std::sqrt(at.bias));
  json.member("init", gaussian_init(std::sqrt(at.weight), std::sqrt(at.bias)));
  fixed_point(json, at.fixed);
  depth_scale(json, "xi_q", at.fixed.slope);
  json.member("slope_kurtosis", at.kurtosis);
}

void spread(JsonWriter& json, const SpreadReport& at, int indent) {
  json.line(indent), json.key(at.ensemble == theory::Ensemble::haar ? "orthogonal" : "gaussian");
  json.begin_object();
  json.member("relative_variance", at.relative_variance), json.member("log_sigma_max", at.log_sigma_max);
  whole(json, "depth_within_variance", at.within.by_variance);
  whole(json, "depth_within_sigma_max", at.within.by_maximum);
  json.end_object();
}

void line(JsonWriter& json, const PlainReport::Line& at) {
  json.line(4), json.begin_object();
  json.member(at.q ? "q" : "sigma_b", at.q ? *at.q : *at.sigma_b);
  json.member("every_q", at.every_q);
  reason(json, at.reason);
  json.key("critical"), json.begin_array();
  for (const CriticalNet& net : at.nets) {
    json.line(6), json.begin_object();
    critical_point(json, net.point);
    trainable(json, net.trainable, 8);
    for (const SpreadReport& of_weights : net.spreads) spread(json, of_weights, 8);
    json.line(6), json.end_object();
  }
  json.end_array(), json.end_object();
}

void net(JsonWriter& json, const PlainReport::Net& at) {
  const theory::PlainPhase& phase = at.phase;
  json.line(4), json.begin_object();
  json.member("sigma_w", at.sigma_w), json.member("sigma_b", at.sigma_b);
  json.member("phase", to_string(phase.phase));
  json.line(6), json.member("q", phase.q), json.member("slope", phase.slope), json.member("chi", phase.chi);
  json.member("correlation", phase.correlation);
  depth_scale(json, "xi_q", phase.slope), depth_scale(json, "xi_c", phase.correlation_slope);
  json.line(6), json.key("fixed_points"), json.begin_array();
  for (const theory::FixedPoint& point : phase.fixed_points)
    json.line(8), json.begin_object(), fixed_point(json, point), json.end_object();
  json.end_array();
  trainable(json, at.trainable, 6);
  json.line(4), json.end_object();
}

void scale(JsonWriter& json, const SchemeReport& report) {
  const theory::ScaleSolution& at = *report.scale;
  json.line(6), json.key("within_bound"), json.begin_object();
  json.member("parameter", report.parameter), json.member("value", at.value);
  json.member("branch_scale", at.alpha);
  json.member("log_first_moment", at.alpha ? std::optional<Real>(at.log_first_moment) : std::nullopt);
  json.member("scheme", at.scheme), json.member("method", at.method);
  reason(json, at.reason);
  json.end_object();
}

void scheme(JsonWriter& json, const SchemeReport& at) {
  json.line(4), json.begin_object();
  json.member("scheme", at.scheme), json.member("log_first_moment", at.log_first_moment);
  trainable(json, at.trainable, 6);
  if (at.scale) scale(json, at);
  json.line(4), json.end_object();
}

/// A document: the query, and what `members` adds to it.
template <class Members>
std::string document(const CriticalQuery& query, Members members) {
  std::string text;
  JsonWriter json([&text](std::string_view part) { text += part; });
  json.begin_object();
  header(json, query);
  members(json);
  json.line(0), json.end_object();
  json.flush();
  return text + "\n";
}

template <class List, class Write>
void array(JsonWriter& json, std::string_view name, const List& list, Write write) {
  json.line(2), json.key(name), json.begin_array();
  for (const auto& item : list) write(json, item);
  if (!list.empty()) json.line(2);
  json.end_array();
}

}  // namespace

std::string critical_json(const CriticalQuery& query, const PlainReport& report) {
  return document(query, [&](JsonWriter& json) {
    if (!report.nets.empty()) return array(json, "nets", report.nets, net);
    array(json, "lines", report.lines, line);
    array(json, "stability_changes", report.stability_changes,
          [](JsonWriter& to, const theory::CriticalPoint& at) {
            to.line(4), to.begin_object(), critical_point(to, at), to.end_object();
          });
  });
}

std::string critical_json(const CriticalQuery& query, const std::vector<SchemeReport>& report) {
  return document(query, [&](JsonWriter& json) {
    json.line(2), json.member("width", query.width);
    array(json, "schemes", report, scheme);
  });
}

}  // namespace rezero::cli
