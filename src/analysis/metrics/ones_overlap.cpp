#include "analysis/metrics/ones_overlap.h"

#include <algorithm>
#include <cmath>

#include "rezero/random/sample.h"
#include "spectrum/krylov/top_direction.h"

namespace rezero::detail {
namespace {

constexpr Real smallest_gap = 1e-3;  // minimum relative distance of σ_2 below σ_1

}  // namespace

std::optional<Real> ones_overlap(const ScaledMatrix& J, const Spectrum& s, const StreamKey& start) {
  if (s.part != SpectrumPart::full || s.status == SpectrumStatus::breakdown || s.sigma.size() < 2)
    return std::nullopt;
  const Real first = s.sigma[0].shifted(-J.exponent).nearest();  // in units of the mantissa
  const Real second = s.sigma[1].shifted(-J.exponent).nearest();
  const bool apart = first > 0 && std::isfinite(first) && second < (1 - smallest_gap) * first;
  if (!apart) return std::nullopt;
  const Index rows = J.mantissa.rows();
  const Vector ones = Vector::Constant(rows, 1 / std::sqrt(static_cast<Real>(rows)));
  std::optional<Vector> u = top_direction(J.mantissa, first, ones);
  if (!u) u = top_direction(J.mantissa, first, normal_vector(rows, start));
  return u ? std::optional<Real>(std::min<Real>(1, std::abs(u->dot(ones)))) : std::nullopt;
}

}  // namespace rezero::detail
