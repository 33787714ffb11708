/// The table of predictions, one row per metric.

#include <cmath>

#include "rezero/theory/outlook.h"

namespace rezero::theory {
namespace {

using Number = std::optional<Real>;

const Real ln10 = std::log(Real{10});

Number in_range(Real log) {
  constexpr Real largest = 709;  // of a normal double
  if (!(std::abs(log) < largest)) return std::nullopt;
  return std::exp(log);
}
Number normal_number(Number log) {
  return log ? in_range(*log) : std::nullopt;
}
Number decades(Number log) {
  return log ? Number(*log / ln10) : std::nullopt;
}

// Everything in logarithms of σ, which no range limits.

Number log_mean_square(const Outlook& o) {
  return o.law ? Number(o.moments.log_m1) : std::nullopt;
}

/// The edge of the bulk with the mean of the Tracy–Widom law.
Number log_end(const Outlook& o, const SpectralEdge& edge, Real sign) {
  if (!edge.scale) return edge.log_square / 2;
  const Real n = static_cast<Real>(o.width());
  const Real shift = std::pow(n * *edge.scale, Real{-2} / 3) * tracy_widom_mean;
  // Few values near the edge, or an edge far out: the law at the edge says nothing about the largest.
  Real most = 1;
  if (o.spectrum->lower)
    most = std::min(most, (o.spectrum->upper.log_square - o.spectrum->lower->log_square) / 4);
  if (std::abs(shift) > most) return std::nullopt;
  return (edge.log_square + sign * shift) / 2;
}
Number log_bulk_max(const Outlook& o) {
  if (!o.spectrum) return std::nullopt;
  return log_end(o, o.spectrum->upper, 1);
}
bool outlier_is_outside(const Outlook& o) {
  return o.moments.log_outlier_square && o.spectrum &&
         *o.moments.log_outlier_square > o.spectrum->upper.log_square;
}
Number log_sigma_max(const Outlook& o) {
  return outlier_is_outside(o) ? Number(*o.moments.log_outlier_square / 2) : log_bulk_max(o);
}
Number log_sigma_min(const Outlook& o) {
  if (!o.spectrum || !o.spectrum->lower || o.spectrum->atom_at_zero > 0) return std::nullopt;
  for (const BlockLaw& block : o.law->blocks)  // which have exact zeros, beside the law
    if (block.norm == NormPlacement::after_sum) return std::nullopt;
  return log_end(o, *o.spectrum->lower, -1);
}

Number relative_variance(const Outlook& o) {
  // A single large value dominates it.
  if (!o.law || o.moments.log_outlier_square) return std::nullopt;
  return o.moments.relative_variance;
}
Number mean_log_sigma(const Outlook& o) {
  if (!o.law || !o.moments.mean_log) return std::nullopt;
  return *o.moments.mean_log + o.moments.mean_log_correction;
}
Number std_log_sigma(const Outlook& o) {
  if (!o.spectrum) return std::nullopt;
  const Number variance = o.spectrum->variance_log_square();
  return variance ? Number(std::sqrt(*variance) / 2) : std::nullopt;
}
Number median_sigma(const Outlook& o) {
  if (!o.spectrum) return std::nullopt;
  const Real y = o.spectrum->quantile(0.5);
  return std::isfinite(y) ? in_range(y / 2) : Number(0);
}
Number isometry_fraction(const Outlook& o) {
  return o.spectrum ? Number(o.spectrum->share_within(0.9, 1.1)) : std::nullopt;
}

Agreement compare_moment(const Outlook& o, const Samples& samples, const Strictness& strictness) {
  if (!o.law) return {Verdict::no_theory, "", {}, 0, 0, {}, {}, o.reason};
  constexpr Real rounding = 1e-11;  // of a J that is the same in every draw, as that of orthogonal layers
  MomentPrediction predicted;
  predicted.log_value = o.moments.log_m1, predicted.sd = o.moments.spread,
  predicted.allowance = o.moments.allowance + rounding;
  if (!std::isfinite(o.moments.log_m1))
    return {Verdict::no_theory, "", {}, 0, 0, {}, {}, "J is zero, or beyond every range"};
  const bool expected = o.norms() == HasNorms::no && !o.moments.log_outlier_square;
  if (expected && (!o.moments.spread || !std::isfinite(*o.moments.spread)))
    return {Verdict::no_theory, "", {}, 0, 0, {}, {}, "the spread over draws is not known"};
  return compare_first_moment(samples.values * ln10, predicted, strictness);
}

/// E ∂F/∂x ≠ 0: dense branches with E φ″ ≠ 0.
bool has_mean_derivative(const NetworkLaw& law, const MeanField& field) {
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const Expectations& e = field.blocks[l].at_argument;
    const bool dense = law.blocks[l].form == BranchForm::dense && !law.blocks[l].off();
    if (dense && e.has_curvature(field.blocks[l].argument)) return true;
  }
  return false;
}

/// Unless the activation is homogeneous, the variance of the stream moves the edge of a draw: the standard
/// deviation of z was 1.3 for linear and relu stacks, and 1.6 to 2.3 for tanh (200 draws each, n = 200).
TracyWidomWindow window_of(const Outlook& o) {
  TracyWidomWindow window;
  if (o.law->activation.homogeneous()) return window;
  window.low = tracy_widom_mean + 2 * (window.low - tracy_widom_mean);
  window.high = tracy_widom_mean + 2 * (window.high - tracy_widom_mean);
  return window;
}

/// Of the bulk: where an outlier is expected or the law is not known, there is no test.
Agreement compare_maximum(const Outlook& o, const Samples& samples, const Strictness&) {
  Agreement none;
  none.verdict = Verdict::no_theory;
  if (!o.spectrum)
    none.reason = o.law ? o.no_spectrum : o.reason;
  else if (o.spectrum->method == "cavity")
    none.reason = "the largest value lies beyond the edge where masks persist along the stream";
  else if (o.moments.log_outlier_square || has_mean_derivative(*o.law, o.field))
    none.reason =
        "branches whose derivative has a mean may have an outlier, of which only an estimate is known";
  else if (o.norms() == HasNorms::yes)
    none.reason = "norms move the edge by O(L/n)";
  else if (!o.spectrum->upper.scale)
    none.reason = "the density does not end as a square root";
  if (!none.reason.empty()) return none;
  return compare_edge(samples.edges, o.width(), o.depth(), window_of(o));
}

constexpr std::string_view free_blocks =
    "independent weights; branches linear, dense, mlp, preactivation; error of the law O(1/n) at fixed depth";

std::vector<PredictionKind> table() {
  std::vector<PredictionKind> table;
  const auto add = [&](std::string_view name, std::string_view summary, std::string_view source,
                       std::string_view conditions, Number (*value)(const Outlook&)) {
    PredictionKind* kind = add_entry(table, name);
    kind->summary = summary, kind->source = source, kind->conditions = conditions, kind->value = value;
    return kind;
  };
  add("mean_square", "prod (lambda^2 + alpha^2 chi), plus n^-1 times the outlier's square",
      "Yang & Schoenholz 2017 (arXiv 1712.08969); outlier derived here",
      "exact at every width for linear branches, and for mlp with an activation of degree 1; otherwise "
      "within 0.25 "
      "(1 + relative variance)/n, with norms 3 L/n",
      [](const Outlook& o) { return normal_number(log_mean_square(o)); });
  add("log10_mean_square", "log10 mean_square: t-test of its mean over draws",
      "derived here (the spread over draws)", "as mean_square",
      [](const Outlook& o) { return decades(log_mean_square(o)); })
      ->compare = compare_moment;
  add("relative_variance", "sum (2 c + eta c^2)/(1 + c)^2, c = alpha^2 chi/lambda^2; plain: sum eta",
      "Pennington, Schoenholz & Ganguli 2018 (arXiv 1802.09979), eq. 22; skips, and correlated masks, "
      "derived here",
      "of the bulk: not for dense branches with E phi'' != 0", relative_variance);
  add("mean_log_sigma", "sum log |lambda| if every c < 1",
      "Haagerup & Larsen 2000 (R-diagonal elements); derived here", "no norm after the sum; skips",
      mean_log_sigma);
  add("std_log_sigma", "from the density", "as the spectrum", free_blocks, std_log_sigma);
  add("median_sigma", "from the density", "as the spectrum", free_blocks, median_sigma);
  add("isometry_fraction", "from the density", "as the spectrum", free_blocks, isometry_fraction);
  add("sigma_max",
      "edge of the density with the mean of the Tracy-Widom law, or the outlier of dense branches",
      "Tracy & Widom 1996; derived here", "depth below n/4; an outlier lies up to 13 % above its estimate",
      [](const Outlook& o) { return normal_number(log_sigma_max(o)); });
  add("log10_sigma_max", "log10 sigma_max: tested against the Tracy-Widom law",
      "Tracy & Widom 1996; derived here", "as sigma_max; tested without outlier, norms and correlated masks",
      [](const Outlook& o) { return decades(log_sigma_max(o)); })
      ->compare = compare_maximum;
  add("bulk_sigma_max", "edge of the density, beside an outlier", "derived here", "as sigma_max",
      [](const Outlook& o) { return outlier_is_outside(o) ? normal_number(log_bulk_max(o)) : std::nullopt; });
  add("sigma_min", "lower edge with the mean of the Tracy-Widom law", "Tracy & Widom 1996; derived here",
      "every c < 1, so that 0 is not approached",
      [](const Outlook& o) { return normal_number(log_sigma_min(o)); });
  add("log10_sigma_min", "log10 sigma_min", "Tracy & Widom 1996; derived here", "as sigma_min",
      [](const Outlook& o) { return decades(log_sigma_min(o)); });
  add("numerical_rank", "n times the expected smallest share of non-zero slopes", "derived here",
      "no norms; plain nets lose directions to relu and hard tanh", [](const Outlook& o) -> Number {
        if (!o.law || o.norms() == HasNorms::yes || o.ranks.expected.empty()) return std::nullopt;
        return static_cast<Real>(o.width()) * o.ranks.expected.back();
      });
  return table;
}

}  // namespace

const Registry<PredictionKind>& predictions() {
  static const Registry<PredictionKind> registry("prediction", table());
  return registry;
}

}  // namespace rezero::theory
