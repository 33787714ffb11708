#include "report/spectrum_json.h"

#include <functional>

#include "report/published_values.h"

namespace rezero::detail {
namespace {

void real_array(JsonWriter& json, std::string_view name, const std::vector<Real>& numbers) {
  json.key(name), json.begin_array();
  for (const Real number : numbers) json.real(number);
  json.end_array();
}

void density_member(JsonWriter& json, const SpectralDensity& density) {
  json.key("density"), json.begin_object();
  json.member("converged", density.converged);
  json.member("probes", density.probes), json.member("steps", density.steps);
  json.member("target", density.target);
  json.member("sampling_distance", density.sampling_distance);
  json.member("steps_distance", density.steps_distance);
  const auto moment = [&](const char* name, const std::optional<ScaledReal>& value) {
    json.member(name, value ? value->to_real() : std::nullopt);
  };
  moment("mean_square", density.mean_square);
  moment("mean_square_stderr", density.mean_square_error);
  moment("mean_fourth", density.mean_fourth);
  real_array(json, "log10_sigma", density.log10_sigma);
  real_array(json, "cdf", density.cdf);
  real_array(json, "cdf_stderr", density.cdf_error);
  real_array(json, "histogram", density.histogram);
  json.end_object();
}

void singular_values(JsonWriter& json, const Spectrum& spectrum, ValuesMode mode) {
  if (mode == ValuesMode::none || spectrum.part == SpectrumPart::density) return;
  json.key(mode == ValuesMode::log10 ? "log10_singular_values" : "singular_values");
  if (spectrum.status == SpectrumStatus::breakdown) return json.null();
  json.begin_array();
  for (std::size_t i = 0; i < spectrum.sigma.size(); ++i) json.real(published_value(spectrum, i, mode));
  json.end_array();
}

void spectrum_facts(JsonWriter& json, const Spectrum& spectrum) {
  json.key("spectrum"), json.begin_object();
  json.member("method", spectrum.provenance.method);
  if (!spectrum.provenance.choice.empty()) json.member("choice", spectrum.provenance.choice);
  json.member("part", to_string(spectrum.part));
  if (spectrum.part != SpectrumPart::full && spectrum.part != SpectrumPart::density) {
    json.member("leading", spectrum.leading);
    json.member("extremal", to_string(spectrum.extremal));
    json.member("multiplicity", to_string(spectrum.multiplicity));
  }
  json.member("relative_resolution", spectrum.accuracy.relative_resolution);
  json.member("forming_error", spectrum.accuracy.forming_error);
  if (spectrum.accuracy.relative_error_estimate)
    json.member("relative_error_estimate", *spectrum.accuracy.relative_error_estimate);
  json.member("certified", spectrum.accuracy.certified);
  json.member("unresolved", spectrum.unresolved());
  json.member("null_directions", spectrum.null_directions);
  json.member("out_of_range", out_of_range_values(spectrum));
  json.member("applications", spectrum.provenance.applications);
  if (!spectrum.accuracy.right_residuals.empty()) {
    real_array(json, "right_residuals", spectrum.accuracy.right_residuals);
    real_array(json, "left_residuals", spectrum.accuracy.left_residuals);
  }
  json.key("fallbacks"), json.begin_array();
  for (const Fallback& fallback : spectrum.provenance.fallbacks) {
    json.begin_object();
    json.member("method", fallback.method), json.member("reason", fallback.reason);
    json.end_object();
  }
  json.end_array();
  if (!spectrum.message.empty()) json.member("message", spectrum.message);
  json.end_object();
}

using Numbers = std::vector<ScaledReal>;

void scaled_array(JsonWriter& json, const std::string& name, const Numbers& numbers,
                  const std::function<std::optional<Real>(const ScaledReal&)>& number) {
  json.key(name), json.begin_array();
  for (const ScaledReal& value : numbers) json.real(number(value));
  json.end_array();
}

/// The numbers, and their log₁₀, which no range limits (null for zero).
void profile_series(JsonWriter& json, const std::string& name, const Numbers& numbers) {
  scaled_array(json, name, numbers, [](const ScaledReal& value) { return value.to_real(); });
  scaled_array(json, "log10_" + name, numbers,
               [](const ScaledReal& value) { return std::optional<Real>(value.log10()); });
}

}  // namespace

void spectrum_members(JsonWriter& json, const Spectrum& spectrum, ValuesMode mode) {
  singular_values(json, spectrum, mode);
  spectrum_facts(json, spectrum);
  if (spectrum.density) density_member(json, *spectrum.density);
}

void profile_member(JsonWriter& json, const Profile& profile) {
  json.key("profile"), json.begin_object();
  profile_series(json, "forward_rms", profile.forward_rms);
  profile_series(json, "branch_norm", profile.branch_norm);
  profile_series(json, "gradient_square", profile.gradient_square);
  profile_series(json, "gate_gradient", profile.gate_gradient);
  real_array(json, "skip_scale", profile.skip_scale);
  real_array(json, "branch_scale", profile.branch_scale);
  json.end_object();
}

}  // namespace rezero::detail
