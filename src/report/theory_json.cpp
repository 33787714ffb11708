#include "report/theory_json.h"

#include <cmath>

namespace rezero::detail {
namespace {

using theory::Agreement;
using theory::Outlook;
using theory::SpectralLaw;

const Real nats_per_decade = std::log(Real{10});

/// log₁₀ σ at log σ² = y.
Real log10_sigma(Real y) {
  return y / (2 * nats_per_decade);
}

void predicted_member(JsonWriter& json, const Outlook& outlook) {
  json.key("predicted"), json.begin_object();
  for (const theory::PredictionKind& kind : theory::predictions())
    json.member(kind.name, kind.value(outlook));
  json.end_object();
}

/// Curves in ascending order of σ, as those of measured densities.
void spectrum_member(JsonWriter& json, const SpectralLaw& law) {
  const auto series = [&](const char* name, const auto& value) {
    json.key(name), json.begin_array();
    for (Index i = law.log_square.size(); i-- > 0;) json.real(value(i));
    json.end_array();
  };
  json.key("spectrum"), json.begin_object();
  json.member("method", law.method);
  json.member("mass", law.mass);
  json.member("atom_at_zero", law.atom_at_zero), json.member("atom_at_one", law.atom_at_one);
  json.member("log10_upper_edge", log10_sigma(law.upper.log_square));
  json.member("log10_lower_edge",
              law.lower ? std::optional<Real>(log10_sigma(law.lower->log_square)) : std::nullopt);
  series("log10_sigma", [&](Index i) { return log10_sigma(law.log_square(i)); });
  series("density", [&](Index i) { return 2 * nats_per_decade * law.density(i); });
  series("cdf", [&](Index i) { return law.cumulative(law.log_square(i)); });
  json.end_object();
}

void comparison(JsonWriter& json, const TheoryComparison& comparison) {
  const Agreement& agreement = comparison.agreement;
  json.begin_object();
  json.member("name", comparison.name);
  json.member("predicted", comparison.predicted);
  json.member("verdict", to_string(agreement.verdict));
  json.member("statistic_name", agreement.statistic_name);
  json.member("statistic", agreement.statistic);
  json.member("low", agreement.low), json.member("high", agreement.high);
  json.member("disagrees_beyond", agreement.disagrees_beyond);
  json.member("level", agreement.level);
  json.member("reason", agreement.reason);
  json.end_object();
}

}  // namespace

void theory_member(JsonWriter& json, const TheoryOfRow& theory) {
  json.key("theory"), json.begin_object();
  if (theory.outlook->law) {
    predicted_member(json, *theory.outlook);
    json.member("kolmogorov_distance", theory.distance);
  } else {
    json.member("reason", theory.outlook->reason);
  }
  json.end_object();
}

void theory_member(JsonWriter& json, const TheorySummary& theory) {
  json.key("theory"), json.begin_object();
  json.member("verdict", to_string(theory.verdict));
  if (theory.outlook->law) {
    json.key("comparisons"), json.begin_array();
    for (const TheoryComparison& each : theory.comparisons) comparison(json, each);
    json.end_array();
  }
  outlook_members(json, *theory.outlook);
  json.end_object();
}

void outlook_members(JsonWriter& json, const Outlook& outlook) {
  if (!outlook.law) return json.member("reason", outlook.reason);
  predicted_member(json, outlook);
  if (outlook.spectrum)
    spectrum_member(json, *outlook.spectrum);
  else
    json.member("no_spectrum", outlook.no_spectrum);
  const auto series = [&](const char* name, const auto& values, const auto& value) {
    json.key(name), json.begin_array();
    for (const auto& each : values) json.real(value(each));
    json.end_array();
  };
  const auto log10 = [](const ScaledReal& x) { return std::optional<Real>(x.log10()); };
  series("log10_forward_rms", outlook.forward_rms(), log10);
  series("log10_gradient_square", outlook.gradient_square(), log10);
  series(
      "log10_gate_gradient_square", outlook.gate_gradient_square(),
      [](const std::optional<ScaledReal>& x) { return x ? std::optional<Real>(x->log10()) : std::nullopt; });
  series("rank_fraction", outlook.ranks.expected, [](Real x) { return x; });
}

}  // namespace rezero::detail
