#include "parts.h"

#include <algorithm>

namespace rezero {
using namespace metric_parts;
namespace {

Value real(const std::optional<ScaledReal>& value) {
  return value ? value->to_real() : std::nullopt;
}

/// σ as a double for comparisons with 1: far above or below, the exact value does not matter.
Real near_one(const ScaledReal& sigma) {
  if (sigma.is_zero()) return 0;
  return std::ldexp(sigma.mantissa, static_cast<int>(std::clamp<std::int64_t>(sigma.exponent, -1000, 1000)));
}

/// Whether values below the method's resolution may be as large as 0.9.
bool noise_reaches_one(const Spectrum& s) {
  return s.unresolved() > 0 && s.relative_resolution * near_one(s.sigma_max) >= 0.9;
}

}  // namespace

Metric metric_isometry_fraction() {
  return {"isometry_fraction",
          {},
          "1",
          "share of singular values in [0.9, 1.1]; null when values that are not resolved may lie there",
          "",
          [](const Observation& o) -> Value {
            const Spectrum& s = *o.spectrum;
            if (!full(s) || noise_reaches_one(s)) return std::nullopt;
            const auto inside = std::count_if(s.sigma.begin(), s.sigma.end(), [](const ScaledReal& sigma) {
              const Real value = near_one(sigma);
              return value >= 0.9 && value <= 1.1;
            });
            return static_cast<Real>(inside) / static_cast<Real>(s.dimension);
          }};
}

Metric metric_max_isometry_error() {
  return {"max_isometry_error", {}, "1", "max |sigma - 1|", "", [](const Observation& o) -> Value {
            const Spectrum& s = *o.spectrum;
            if (!has_largest(s) || !has_smallest(s) || noise_reaches_one(s)) return std::nullopt;
            const Value top =
                s.sigma.front().exponent > 0 ? s.sigma.front().to_real() : near_one(s.sigma.front());
            return top ? Value(std::max(std::abs(*top - 1), std::abs(near_one(s.sigma.back()) - 1)))
                       : std::nullopt;
          }};
}

Metric metric_identity_error() {
  return {"identity_error",
          {},
          "1",
          "max |J - I|; null when J is rectangular",
          "",
          [](const Observation& o) -> Value { return real(o.identity_error); }};
}

Metric metric_output_error() {
  return {"output_error",    {}, "1",
          "max |x_L - x_0|", "", [](const Observation& o) -> Value { return real(o.output_error); }};
}

}  // namespace rezero
