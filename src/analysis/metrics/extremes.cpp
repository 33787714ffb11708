#include "parts.h"

namespace rezero {
using namespace metric_parts;

Metric metric_sigma_max() {
  return {"sigma_max", {}, "1", "largest singular value of J", "", [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            return top ? top->to_real() : std::nullopt;
          }};
}

Metric metric_sigma_min() {
  return {"sigma_min",
          {},
          "1",
          "smallest singular value of J; null below the method's resolution",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest(*o.spectrum);
            return low ? low->to_real() : std::nullopt;
          }};
}

Metric metric_log10_sigma_max() {
  return {"log10_sigma_max", {}, "decades", "log10 sigma_max", "", [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            return top ? finite(top->log10()) : std::nullopt;
          }};
}

Metric metric_log10_sigma_min() {
  return {"log10_sigma_min",
          {},
          "decades",
          "log10 sigma_min; null when it is zero or not resolved",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest(*o.spectrum);
            return low ? finite(low->log10()) : std::nullopt;
          }};
}

Metric metric_log10_condition() {
  return {"log10_condition",
          {},
          "decades",
          "log10(sigma_max / sigma_min); null when sigma_min is zero or not resolved",
          "",
          [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            const auto low = smallest(*o.spectrum);
            if (!top || !low || low->is_zero()) return std::nullopt;
            const Real decades = static_cast<Real>(top->exponent - low->exponent) * std::log10(Real{2});
            return decades + std::log10(top->mantissa / low->mantissa);
          }};
}

Metric metric_outlier_ratio() {
  return {"outlier_ratio", {}, "1", "sigma_1 / sigma_2", "", [](const Observation& o) -> Value {
            const Spectrum& s = *o.spectrum;
            if (!has_largest(s) || s.sigma.size() < 2) return std::nullopt;
            if (s.part == SpectrumPart::both_ends && s.leading < 2) return std::nullopt;
            if (s.sigma[1].is_zero() || !s.resolved(1)) return std::nullopt;
            return finite(1 / relative(s.sigma[1], s.sigma[0]));
          }};
}

}  // namespace rezero
