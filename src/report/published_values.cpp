#include "report/published_values.h"

namespace rezero::detail {
ValueState value_state(const Spectrum& spectrum, std::size_t i) {
  if (static_cast<Index>(i) >= static_cast<Index>(spectrum.sigma.size()) - spectrum.null_directions)
    return ValueState::zero;
  return spectrum.resolved(i) ? ValueState::resolved : ValueState::unresolved;
}

std::optional<Real> published_value(const Spectrum& spectrum, std::size_t i, ValuesMode mode) {
  const ValueState state = value_state(spectrum, i);
  if (state == ValueState::unresolved) return std::nullopt;
  const bool log10 = mode == ValuesMode::log10;
  if (state == ValueState::zero) return log10 ? std::nullopt : std::optional<Real>(0);
  return log10 ? std::optional<Real>(spectrum.sigma[i].log10()) : spectrum.sigma[i].to_real();
}

Index out_of_range_values(const Spectrum& spectrum) {
  Index count = 0;
  for (std::size_t i = 0; i < spectrum.sigma.size(); ++i)
    count += value_state(spectrum, i) == ValueState::resolved && !spectrum.sigma[i].to_real();
  return count;
}

RowStatus row_status(const Spectrum& spectrum, ValuesMode mode) {
  if (spectrum.status == SpectrumStatus::breakdown) return RowStatus::breakdown;
  if (spectrum.status == SpectrumStatus::partial) return RowStatus::partial;
  if (mode == ValuesMode::linear && out_of_range_values(spectrum) > 0) return RowStatus::out_of_range;
  for (std::size_t i = 0; i < spectrum.sigma.size(); ++i)
    if (value_state(spectrum, i) == ValueState::unresolved) return RowStatus::unresolved;
  return RowStatus::ok;
}

}  // namespace rezero::detail
