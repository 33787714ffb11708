#pragma once
/// Building blocks of metrics.

#include <cmath>
#include <optional>

#include "rezero/analysis/metric.h"

namespace rezero::metric_parts {

using Value = std::optional<Real>;

inline bool usable(const Spectrum& s) {
  return s.status != SpectrumStatus::breakdown && !s.sigma.empty();
}
inline bool full(const Spectrum& s) {
  return usable(s) && s.part == SpectrumPart::full;
}
inline bool has_largest(const Spectrum& s) {
  return usable(s) && s.part != SpectrumPart::smallest;
}
inline bool has_smallest(const Spectrum& s) {
  return usable(s) && s.part != SpectrumPart::largest;
}

/// Whether value i is resolved, or a proved zero.
inline bool known(const Spectrum& s, std::size_t i) {
  return s.resolved(i) || static_cast<Index>(i) >= static_cast<Index>(s.sigma.size()) - s.null_directions;
}

/// σ_max, if the spectrum includes it.
inline const ScaledReal* largest(const Spectrum& s) {
  return has_largest(s) && known(s, 0) ? &s.sigma.front() : nullptr;
}

/// σ_min if it is known: resolved, or a proved zero.
inline std::optional<ScaledReal> smallest(const Spectrum& s) {
  if (!has_smallest(s)) return std::nullopt;
  if (s.null_directions > 0) return ScaledReal{};
  if (!s.resolved(s.sigma.size() - 1)) return std::nullopt;
  return s.sigma.back();
}

/// The smallest value that is not a proved zero, if it is resolved.
inline std::optional<ScaledReal> smallest_nonzero(const Spectrum& s) {
  const auto nonzero = static_cast<Index>(s.sigma.size()) - s.null_directions;
  if (!has_smallest(s) || nonzero < 1) return std::nullopt;
  const auto last = static_cast<std::size_t>(nonzero - 1);
  return s.resolved(last) ? std::optional<ScaledReal>(s.sigma[last]) : std::nullopt;
}

/// σ_2 if it is known.
inline const ScaledReal* second(const Spectrum& s) {
  if (!has_largest(s) || s.sigma.size() < 2) return nullptr;
  if (s.part == SpectrumPart::both_ends && s.leading < 2) return nullptr;
  return known(s, 1) ? &s.sigma[1] : nullptr;
}

/// The value if it is finite.
inline Value finite(Real value) {
  return std::isfinite(value) ? Value(value) : std::nullopt;
}

/// σ as a double relative to the largest: σ / σ_max (0 for a zero matrix).
inline Real relative(const ScaledReal& sigma, const ScaledReal& top) {
  return sigma.is_zero() || top.is_zero() ? 0 : (sigma / top).nearest();
}

}  // namespace rezero::metric_parts
