#include "accuracy/judge.h"

#include <algorithm>
#include <cmath>

namespace rezero::reference {
namespace {

constexpr Real ulps = 4 * 0x1p-52;

/// a/b as a double, 0 or infinity where that is out of range; b > 0.
Real ratio(const ScaledReal& a, const ScaledReal& b) {
  return std::ldexp(a.mantissa / b.mantissa,
                    static_cast<int>(std::clamp<std::int64_t>(a.exponent - b.exponent, -5000, 5000)));
}

/// |a − b|/unit; a zero unit makes any difference infinite.
Real difference(const ScaledReal& a, const ScaledReal& b, const ScaledReal& unit) {
  if (a == b) return 0;
  if (unit.is_zero()) return HUGE_VAL;
  return std::abs(ratio(a, unit) - ratio(b, unit));
}

/// The place of published value i among all of them.
std::size_t place(const Spectrum& spectrum, std::size_t i) {
  const std::size_t behind = spectrum.sigma.size() - i;
  return static_cast<Index>(i) < spectrum.leading ? i : static_cast<std::size_t>(spectrum.dimension) - behind;
}

/// Bits needed for the smallest value with a claim, and some more if zeros are claimed.
long first_bits(const Spectrum& spectrum) {
  std::int64_t range = spectrum.null_directions > 0 ? 256 : 0;
  for (std::size_t i = 0; i < spectrum.sigma.size(); ++i)
    if (spectrum.resolved(i))
      range = std::max(range, spectrum.sigma_max.exponent - spectrum.sigma[i].exponent);
  return 192 + static_cast<long>(range);
}

class Judge {
 public:
  Judge(const Spectrum& spectrum, const Truth& truth) : spectrum_(spectrum), truth_(truth) {}

  Verdict take() {
    for (std::size_t i = 0; i < spectrum_.sigma.size(); ++i) {
      const ScaledReal& truth = truth_.sigma[place(spectrum_, i)];
      const bool null = spectrum_.sigma.size() - i <= static_cast<std::size_t>(spectrum_.null_directions);
      if (null)
        hold("null", i, truth.is_zero() ? 0 : HUGE_VAL);
      else if (spectrum_.resolved(i))
        hold("resolved", i, resolved_error(spectrum_.sigma[i], truth));
      else
        hold("unresolved", i, unresolved_size(truth));
    }
    if (!truth_.sigma.empty()) verdict_.largest = truth_.sigma.front();
    return std::move(verdict_);
  }

 private:
  Real resolved_error(const ScaledReal& published, const ScaledReal& truth) {
    const Real to_itself = difference(published, truth, truth);
    const Real to_largest = difference(published, truth, spectrum_.sigma_max);
    const std::optional<Real>& estimate = spectrum_.accuracy.relative_error_estimate;
    const Real error = estimate ? to_itself : to_largest;
    verdict_.largest_error = std::max(verdict_.largest_error, error);
    const Real claim = estimate.value_or(spectrum_.accuracy.relative_resolution);
    return std::min(to_itself / ulps, claim == 0 ? HUGE_VAL : error / claim);
  }
  /// A computed value at the resolution, and its error.
  Real unresolved_size(const ScaledReal& truth) const {
    if (truth.is_zero()) return 0;
    if (spectrum_.sigma_max.is_zero()) return HUGE_VAL;
    const Real error = std::max(ulps, spectrum_.accuracy.relative_error_estimate.value_or(1));
    return ratio(truth, spectrum_.sigma_max) / (spectrum_.accuracy.relative_resolution * (1 + error));
  }
  void hold(const char* claim, std::size_t i, Real excess) {
    ++verdict_.compared;
    if (excess <= 1) return;
    verdict_.violations.push_back({claim, i, spectrum_.sigma[i], truth_.sigma[place(spectrum_, i)], excess});
  }

  const Spectrum& spectrum_;
  const Truth& truth_;
  Verdict verdict_;
};

}  // namespace

Verdict judged(const Trajectory& path, const Look& look, const Spectrum& spectrum) {
  const Truth truth = true_singular_values(path, look, first_bits(spectrum));
  if (truth.settled) return Judge(spectrum, truth).take();
  Verdict verdict;
  verdict.unsettled = true;
  return verdict;
}

}  // namespace rezero::reference
