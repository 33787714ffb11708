#include "theory/outlier.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rezero::theory {
namespace {

/// With y = J u, s = mean(y) and r = x·y/n, conditional on x: E W y given h = W x + b is (σ² r/p) h, so that
///
///     s′ = λ s + α k r + noise      r′ = (λ² + λ α μ k + α² ξ) r + λ α m s + noise
///     |y′|² = (λ² + α²χ) |y|² + 2 λ α k s r        k = σ² E φ″, ξ = σ² E (φ φ′)′
///
/// The moments of s and r and the excess of E|y|²/n over the bulk, all divided by bulk · e^log_unit. q and μ
/// are in the units of block states.
struct Aligned {
  Real excess = 0;
  Real ss = 0, sr = 0, rr = 0;
  std::int64_t exponent = 0;

  void in_units_of(std::int64_t other) {
    const std::int64_t change = exponent - other;
    sr = shifted(sr, change / 2), rr = shifted(rr, change);
    exponent = other;
  }
  Real largest() const { return std::max({std::abs(excess), std::abs(ss), std::abs(sr), std::abs(rr)}); }
  void divide(Real by) { excess /= by, ss /= by, sr /= by, rr /= by; }
};

}  // namespace

Growth growth(const NetworkLaw& law, const MeanField& field, std::size_t first) {
  Growth growth;
  bool aligned = false;
  for (std::size_t l = first; l < law.blocks.size(); ++l) {
    growth.log_bulk += std::log(field.blocks[l].factor);
    const BlockLaw& block = law.blocks[l];
    aligned = aligned || (block.form == BranchForm::dense && block.norm != NormPlacement::before_branch &&
                          !block.off() && field.blocks[l].at_argument.curvature != 0);
  }
  growth.log_total = growth.log_bulk;
  growth.log_excess = -std::numeric_limits<Real>::infinity();
  if (!aligned || !std::isfinite(growth.log_bulk)) return growth;

  const Real n = static_cast<Real>(law.width);
  const BlockState& start = field.blocks[first];
  Aligned at{0, 1 / n, start.mean / n, start.square / n, start.exponent};
  Real unit = 1, log_unit = 0;  // `bulk` in the units of `at`: bulk = e^(…) · unit
  for (std::size_t l = first; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    const Expectations& e = state.at_argument;
    at.in_units_of(state.exponent);
    const Real lambda = block.skip, alpha = block.scale, m = state.branch_mean, mu = state.mean,
               q = state.square, a2 = alpha * alpha, l2 = lambda * lambda;
    const bool dense = block.form == BranchForm::dense && !block.off(),
               normed = block.norm == NormPlacement::before_branch;
    // A norm before the branch takes the parts along 1 and x out of its tangents.
    const Real k = dense && !normed ? block.weight * e.curvature : 0,
               xi = dense && !normed ? block.weight * e.cross : 0;
    const Real slope = block.off() ? 0 : state.branch_slope;
    const Real growth_here = l2 + a2 * slope, total = unit + at.excess;
    Real noise_ss = a2 * total * slope / n, noise_sr = noise_ss * lambda * mu, noise_rr = 0;
    if (dense) {
      const Real weight = e.slope_square > 0 ? slope / e.slope_square : 0;  // σ², a norm included
      noise_sr += a2 * weight * total * alpha * e.mixed_single / n;
      noise_rr =
          a2 * weight * total *
              (l2 * q * e.slope_square + 2 * lambda * alpha * mu * e.mixed_single + a2 * e.mixed_square) / n +
          l2 * a2 * total * (e.square - m * m) / n;
    } else {
      noise_rr = (l2 * q * a2 * slope + l2 * a2 * state.branch_square) * total / n;
    }
    const Real c = l2 + lambda * alpha * mu * k + a2 * xi, back = lambda * alpha * m, ahead = alpha * k;
    Aligned next = at;
    next.excess = at.excess * growth_here + 2 * lambda * ahead * at.sr;
    next.ss = l2 * at.ss + 2 * lambda * ahead * at.sr + ahead * ahead * at.rr + noise_ss;
    next.sr = lambda * back * at.ss + (lambda * c + ahead * back) * at.sr + ahead * c * at.rr + noise_sr;
    next.rr = c * c * at.rr + 2 * c * back * at.sr + back * back * at.ss + noise_rr;
    unit *= growth_here;
    if (block.norm == NormPlacement::after_sum) {
      // The norm scales x by the same factor as y, and projects y: x·y vanishes, for a layer norm the mean
      // too.
      const Real divisor = std::exp(state.log_divisor);
      next.divide(divisor), unit /= divisor;
      next.sr = next.rr = 0;
      if (block.centered) next.ss = 0;
      next.exponent = 0;
    }
    at = next;
    // Everything is linear in (unit, at): only the ratio matters.
    const Real size = std::max(unit, at.largest());
    at.divide(size), unit /= size, log_unit += std::log(size);
  }
  if (!(at.excess > 0)) return growth;
  growth.log_excess = log_unit + std::log(at.excess);
  growth.log_total = log_unit + std::log(unit + at.excess);
  return growth;
}

}  // namespace rezero::theory
