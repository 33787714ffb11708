#include <algorithm>
#include <cmath>

#include "parts.h"
#include "spectrum/resolution.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

/// |σ − 1| at any exponent.
ScaledReal distance_from_one(const ScaledReal& sigma) {
  const auto real = sigma.to_real();
  if (real) return ScaledReal::make(std::abs(*real - 1));
  return sigma.exponent > 0 ? sigma : ScaledReal::make(1);
}

void add_largest_changes(CheckResult& result, std::vector<BlockFacts> blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const BlockFacts& a, const BlockFacts& b) {
    return a.jacobian_change > b.jacobian_change;
  });
  check_parts::add_reasons(result, blocks);
  std::stable_sort(result.culprits.begin(), result.culprits.end(),
                   [](const Culprit& a, const Culprit& b) { return a.block < b.block; });
}

CheckResult run(const CheckObservation& seen, const CheckSpec& spec) {
  CheckResult result = check_parts::begin(spec, "max|sigma - 1|", spec.params().real("tol"));
  const Spectrum& s = seen.result->spectrum;
  if (s.status == SpectrumStatus::breakdown || s.sigma.empty() || s.part != SpectrumPart::full) {
    result.message = s.message.empty() ? "the full spectrum is not known" : s.message;
    return result;
  }
  if (!s.resolved(0) && s.null_directions < s.dimension) {
    result.message = "no singular value stands above rounding (" +
                     detail::text(s.accuracy.relative_resolution) + " of sigma_max)";
    return result;
  }
  const ScaledReal high = distance_from_one(s.sigma.front()), low = distance_from_one(s.sigma.back());
  result.value = std::max(high, low);
  const Real unsure = s.accuracy.relative_resolution * std::exp(std::min<Real>(s.sigma_max.log(), 700));
  result.pass = check_parts::within(*result.value, result.bound);
  if (result.pass && unsure > detail::six_digits &&
      !check_parts::within(*result.value, result.bound - unsure)) {
    result.pass = false, result.value.reset();
    result.message = "rounding leaves the singular values uncertain by " + detail::text(unsure) +
                     ": cannot tell whether they lie within the bound";
    return result;
  }
  if (!result.pass) add_largest_changes(result, *seen.blocks);
  return result;
}

}  // namespace

Check check_isometry() {
  Check check;
  check.name = "isometry";
  check.summary = "every singular value of J lies in [1 - tol, 1 + tol]";
  check.source = "Saxe et al. 2014; Pennington, Schoenholz & Ganguli 2017 (arXiv 1711.04735)";
  check.params = {{"tol", ParamKind::real, "0.1", "largest |sigma - 1| allowed", {}, 0}};
  check.needs_spectrum = true;
  check.run = run;
  return check;
}

}  // namespace rezero
