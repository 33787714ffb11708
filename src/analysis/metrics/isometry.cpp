#include "parts.h"

#include <algorithm>

namespace rezero {
using namespace metric_parts;
namespace {

Value real(const std::optional<ScaledReal>& value) {
  return value ? value->to_real() : std::nullopt;
}

/// Whether values below the method's resolution may be as large as 0.9.
bool noise_reaches_one(const Spectrum& s) {
  return s.unresolved() > 0 && s.accuracy.relative_resolution * s.sigma_max.clamped_double() >= 0.9;
}

/// Whether a resolved value lies within its error of 0.9 or 1.1, and that error is not negligible.
bool edge_is_uncertain(const Spectrum& s) {
  constexpr Real worth_a_look = 1e-9;
  const Real error = s.accuracy.relative_resolution * s.sigma_max.clamped_double();
  if (error < worth_a_look) return false;
  return std::any_of(s.sigma.begin(), s.sigma.end(), [error](const ScaledReal& sigma) {
    const Real value = sigma.clamped_double();
    return std::abs(value - 0.9) <= error || std::abs(value - 1.1) <= error;
  });
}

}  // namespace

Metric metric_isometry_fraction() {
  Metric metric;
  metric.name = "isometry_fraction";
  metric.summary =
      "share of singular values in [0.9, 1.1]; null when values that are not resolved may lie there";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!full(s) || noise_reaches_one(s) || edge_is_uncertain(s)) return std::nullopt;
    const auto inside = std::count_if(s.sigma.begin(), s.sigma.end(), [](const ScaledReal& sigma) {
      const Real value = sigma.clamped_double();
      return value >= 0.9 && value <= 1.1;
    });
    return static_cast<Real>(inside) / static_cast<Real>(s.dimension);
  };
  return metric;
}

Metric metric_max_isometry_error() {
  Metric metric;
  metric.name = "max_isometry_error";
  metric.summary = "max |sigma - 1|";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!has_largest(s) || !has_smallest(s) || noise_reaches_one(s)) return std::nullopt;
    const Value top =
        s.sigma.front().exponent > 0 ? s.sigma.front().to_real() : s.sigma.front().clamped_double();
    return top ? Value(std::max(std::abs(*top - 1), std::abs(s.sigma.back().clamped_double() - 1)))
               : std::nullopt;
  };
  return metric;
}

Metric metric_identity_error() {
  Metric metric;
  metric.name = "identity_error";
  metric.summary = "max |J - I|; null when J is rectangular, or was not formed to six digits";
  metric.compute = [](const Observation& o) -> Value { return real(o.identity_error); };
  return metric;
}

Metric metric_output_error() {
  Metric metric;
  metric.name = "output_error";
  metric.summary = "max |x_L - x_0|";
  metric.compute = [](const Observation& o) -> Value { return real(o.output_error); };
  return metric;
}

}  // namespace rezero
