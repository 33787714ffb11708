#include "rezero/theory/moments.h"

#include <algorithm>
#include <cmath>

#include "layers/gauss_legendre.h"
#include "rezero/core/error.h"
#include "theory/mask_persistence.h"
#include "theory/outlier.h"

namespace rezero::theory {
namespace {

bool is_linear(const BlockLaw& block, const NetworkLaw& law) {
  return block.form == BranchForm::linear || (block.form != BranchForm::mlp && law.activation.is_identity());
}

/// g = α²χ/(λ² + α²χ).
Real branch_share(const BlockLaw& block, const BlockState& state) {
  if (block.off()) return 0;
  const Real branch = block.scale * block.scale * state.branch_slope,
             total = block.skip * block.skip + branch;
  return total > 0 ? branch / total : 0;
}

bool exact_at_every_width(const NetworkLaw& law) {
  return std::all_of(law.blocks.begin(), law.blocks.end(), [&law](const BlockLaw& block) {
    if (block.norm != NormPlacement::none && !(block.off() && block.norm == NormPlacement::before_branch))
      return false;
    return block.off() || is_linear(block, law) ||
           (block.form == BranchForm::mlp && law.activation.homogeneous());
  });
}

// ---- mean of log σ
// ------------------------------------------------------------------------------------------

/// −log S(u) of α²BᵀB/λ² for a nonlinear branch, S its S-transform; e² = c/E φ′², ψ(y) = E y d/(1 − y d):
///
///     independent  T1, T2   1/S = e² u/y,              ψ(y) = u
///                  T3       1/S = e² u (1 + u)/(γ y),  ψ(y) = u/γ
///     Haar                  1/S = e² u/(y (1 + u)),    ψ(y) = u
class BranchTransform {
 public:
  BranchTransform(const BlockLaw& block, const BlockState& state, SlopeLaw slopes)
      : block_(block),
        slopes_(std::move(slopes)),
        strength_(state.ratio / slopes_.weight.dot(slopes_.square)),
        gamma_(block.form == BranchForm::mlp && block.ensemble == Ensemble::independent ? block.gamma : 1) {}

  Real u_at(Real y) const { return gamma_ * psi(y); }
  Real at(Real u, Real y) const {
    const Real base = strength_ * u / y;
    if (block_.ensemble == Ensemble::haar) return std::log(base / (1 + u));
    return std::log(block_.form == BranchForm::mlp ? base * (1 + u) / gamma_ : base);
  }
  /// y < 0 for which u_at(y) = u < 0: Newton's method from 0, where ψ is convex and increasing.
  Real y_of(Real u) const {
    Real y = 0;
    for (int step = 0; step < 200; ++step) {
      const Real change = (gamma_ * psi(y) - u) / (gamma_ * slope(y));
      y -= change;
      if (!(change > 1e-15 * std::abs(y))) return y;  // steps are positive until they are rounding errors
    }
    throw NumericalError("the mean of log σ: no root of the transform of a branch");
  }
  Real largest() const { return slopes_.square(0); }

 private:
  Real psi(Real y) const {
    const auto d = slopes_.square.array();
    return (slopes_.weight.array() * y * d / (1 - y * d)).sum();
  }
  Real slope(Real y) const {
    const auto d = slopes_.square.array();
    return (slopes_.weight.array() * d / (1 - y * d).square()).sum();
  }

  const BlockLaw& block_;
  SlopeLaw slopes_;
  Real strength_, gamma_;
};

/// ½ ∫ max(0, −log S(u)) du over (−1, 0): mean of log|eigenvalues of αB/λ| above 1, for c > 1.
Real expanding_part(const BlockLaw& block, const BlockState& state, const NetworkLaw& law,
                    const GaussianIntegrals& integrals) {
  const Real c = state.ratio;
  if (is_linear(block, law))
    return block.ensemble == Ensemble::haar ? std::log(c) / 2 : (std::log(c) + 1 / c - 1) / 2;
  const BranchTransform transform(block, state, integrals.slopes(state.argument));
  // The end of the range: −log S decreases with y from log c > 0 to the left.
  constexpr Real smallest = 1e-3, largest = 1e12;
  Real inside = 0, outside = -smallest / transform.largest();
  const auto positive = [&transform](Real y) { return transform.at(transform.u_at(y), y) > 0; };
  while (positive(outside) && -outside * transform.largest() < largest) inside = outside, outside *= 2;
  if (!positive(outside))
    for (int step = 0; step < 200 && outside != inside; ++step) {
      const Real middle = (inside + outside) / 2;
      if (middle == inside || middle == outside) break;
      (positive(middle) ? inside : outside) = middle;
    }
  const Real end = transform.u_at(outside);
  const detail::UnitRule& rule = detail::gauss_legendre();
  // Panels that shrink towards the end, where ψ flattens.
  Real sum = 0, from = 0;
  constexpr int panels = 12;
  for (int panel = 0; panel < panels; ++panel) {
    const Real to = panel + 1 == panels ? end : (from + end) / 2;
    for (Index i = 0; i < rule.node.size(); ++i) {
      const Real u = from + (to - from) * rule.node(i);
      sum += (from - to) * rule.weight(i) * transform.at(u, transform.y_of(u));
    }
    from = to;
  }
  return sum / 2;
}

void set_mean_log(Moments& moments, const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  Real mean = 0, correction = 0;
  const BlockState* previous = nullptr;  // equal blocks are integrated once
  const BlockLaw* previous_law = nullptr;
  Real previous_part = 0;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    if (block.norm == NormPlacement::after_sum) return;
    if (block.skip == 0) {
      if (block.off() || !is_linear(block, law)) return;
      const Real strength = block.scale * block.scale * state.branch_slope;
      mean += (std::log(strength) - (block.ensemble == Ensemble::haar ? 0 : 1)) / 2;
      continue;
    }
    mean += std::log(std::abs(block.skip));
    if (block.off()) continue;
    const Real c = state.ratio;
    if (c > 1) {
      const bool again = previous && previous->argument == state.argument && previous->ratio == c &&
                         previous_law->gamma == block.gamma && previous_law->ensemble == block.ensemble &&
                         previous_law->form == block.form;
      if (!again) previous_part = expanding_part(block, state, law, integrals);
      previous = &state, previous_law = &block;
      mean += previous_part;
    } else if (is_linear(block, law) && block.ensemble == Ensemble::independent && c < 1) {
      correction -= c / (2 * static_cast<Real>(law.width));
    }
  }
  moments.mean_log = mean;
  moments.mean_log_correction = correction;
}

// ---- spread of the mean square over draws -----------------------------------------------------------------

/// Variance of log ‖J‖²_F at given q_l, times n: the parts of order 1 and 1/n.
Real at_given_squares(const BlockLaw& block, const BlockState& state, const NetworkLaw& law, Real before) {
  const Real g = branch_share(block, state), n = static_cast<Real>(law.width), r = 1 + before;
  const Real kurtosis = state.at_argument.kurtosis(), cross = 4 * g * (1 - g) * r;
  const bool haar = block.ensemble == Ensemble::haar;
  if (is_linear(block, law)) return (cross + (haar ? 0 : 2 * g * g * r)) / n;
  if (block.form == BranchForm::preactivation) return (cross + (haar ? 0 : 2 * g * g * kurtosis * r)) / n;
  const Real gamma = block.form == BranchForm::mlp ? block.gamma : 1;
  const Real masks = g * g * (kurtosis - 1) / gamma;
  if (haar) return masks + (cross + 2 * g * g * (kurtosis - 1) * before) / n;
  if (block.form == BranchForm::dense) return masks + (cross + 2 * g * g * kurtosis * r) / n;
  return masks + (cross + 2 * g * g * ((1 + kurtosis / gamma) * r + kurtosis / gamma)) / n;
}

/// The part that fluctuations of q_l add, times n. Backwards, `weight` = ∂ log m1/∂q of the blocks above, in
/// the inverse of the units of q.
Real from_squares(const NetworkLaw& law, const MeanField& field) {
  Real variance = 0, weight = 0;
  std::int64_t exponent = field.final_exponent;
  for (std::size_t i = law.blocks.size(); i-- > 0;) {
    const BlockLaw& block = law.blocks[i];
    const BlockState& state = field.blocks[i];
    weight = shifted(weight, state.exponent - exponent), exponent = state.exponent;
    const Expectations& e = state.at_argument;
    const Real l2 = block.skip * block.skip, a2 = block.scale * block.scale, q = state.square,
               v = state.branch_square;
    if (block.off()) {
      variance += weight * weight * 4 * l2 * a2 * v * q;
      weight *= l2;
      continue;
    }
    const bool mlp = block.form == BranchForm::mlp;
    const Real outer = mlp ? block.weight2 : 1, gamma = mlp ? block.gamma : 1, inner = block.weight;
    const Real total = l2 + a2 * state.branch_slope, share = a2 * inner * outer / total;
    const Real fourth = outer * outer * (e.fourth - e.square * e.square) / gamma,
               mixed = outer * (e.mixed_square - e.square * e.slope_square) / gamma;
    const Real of_products = mlp ? 2 * v * v : 0;
    variance += weight * weight * (4 * l2 * a2 * v * q + a2 * a2 * (of_products + fourth)) +
                2 * weight * a2 * share * mixed;
    weight = weight * (l2 + a2 * inner * outer * e.cross) + share * inner * e.slope_growth;
  }
  if (!law.fixed_input_square) variance += weight * weight * 2 * law.input_square * law.input_square;
  return variance;
}

void set_spread(Moments& moments, const NetworkLaw& law, const MeanField& field,
                const std::optional<MaskPersistence>& masks) {
  if (moments.log_outlier_square) return;
  Real variance = 0, before = 0;
  bool feeds_back = false;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    if (block.norm != NormPlacement::none && !block.off()) return;
    if (masks) before = masks->relative_variance[l];
    variance += at_given_squares(block, state, law, before);
    const Real g = branch_share(block, state);
    before += g * (2 * (1 - g) + state.eta * g);
    const bool depends = !block.off() && !is_linear(block, law) && !law.activation.homogeneous();
    feeds_back = feeds_back || (depends && block.form != BranchForm::preactivation);
  }
  const Real n = static_cast<Real>(law.width);
  moments.spread_of_weights = std::sqrt((variance + (masks ? masks->given_squares : 0)) / n);
  if (masks) variance += masks->total;
  if (feeds_back) variance += from_squares(law, field);
  if (!std::isfinite(variance)) {
    moments.spread_of_weights = 0;
    return;
  }
  moments.spread = std::sqrt(std::max<Real>(0, variance) / n);
}

}  // namespace

Moments moments(const NetworkLaw& law, const MeanField& field) {
  Moments moments;
  const Growth grown = growth(law, field, 0);
  moments.log_bulk_m1 = grown.log_bulk, moments.log_m1 = grown.log_total;
  const Real n = static_cast<Real>(law.width);
  if (std::isfinite(grown.log_excess)) moments.log_outlier_square = grown.log_excess + std::log(n);

  Real sum = 0, largest = 0;
  bool normed = false, free = true, preactivation = false, plain = false;
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    const Real g = branch_share(block, state);
    moments.free_relative_variance += g * (2 * (1 - g) + state.eta * g);
    normed = normed || block.norm != NormPlacement::none;
    if (block.norm == NormPlacement::after_sum)
      moments.null_share = std::max(moments.null_share, std::min<Real>(1, (block.centered ? 2 : 1) / n));
    plain = plain || block.skip == 0;
    if (!block.off()) {
      sum += state.ratio, largest = std::max(largest, state.ratio);
      if (block.form == BranchForm::preactivation && !is_linear(block, law)) preactivation = true;
    }
  }
  std::optional<MaskPersistence> masks;
  if (preactivation) masks = mask_persistence(law, field), free = false;
  moments.relative_variance = masks ? masks->relative_variance.back() : moments.free_relative_variance;
  moments.exact = exact_at_every_width(law);
  if (!moments.exact)
    moments.allowance =
        normed ? 3 * static_cast<Real>(law.blocks.size()) / n : (1 + moments.relative_variance) / (4 * n);
  set_mean_log(moments, law, field);
  constexpr Real small = 0.125;
  const bool divides = std::any_of(law.blocks.begin(), law.blocks.end(), [](const BlockLaw& block) {
    return block.norm == NormPlacement::after_sum;
  });
  if (free && !plain && !divides && largest <= small) moments.log_square_variance = 2 * sum + sum * sum / 3;
  set_spread(moments, law, field, masks);
  return moments;
}

Real log_mean_square(const NetworkLaw& law, const MeanField& field, Index first) {
  return growth(law, field, static_cast<std::size_t>(first)).log_total;
}

}  // namespace rezero::theory
