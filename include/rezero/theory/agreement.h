#pragma once
/// Whether a measurement agrees with a prediction of random-matrix theory, at a stated rate of false alarms.

#include <optional>
#include <string>

#include "rezero/core/words.h"

namespace rezero {
namespace theory {

enum class Verdict {
  agrees,
  borderline,  ///< beyond what draws usually show, within what finite width may explain
  disagrees,
  no_theory,        ///< none is known for such a stack, or not at this width
  too_few_samples,  ///< nothing to compare, or no way to know how much draws differ
};

}  // namespace theory

template <>
inline constexpr auto words<theory::Verdict> =
    closed_set<theory::Verdict>("verdict", {{theory::Verdict::agrees, "agrees"},
                                            {theory::Verdict::borderline, "borderline"},
                                            {theory::Verdict::disagrees, "disagrees"},
                                            {theory::Verdict::no_theory, "no-theory"},
                                            {theory::Verdict::too_few_samples, "too-few-samples"}});

namespace theory {

/// I_x(a, b), the regularized incomplete beta function; a, b > 0, 0 ≤ x ≤ 1. Relative error about 1e-14 for
/// a, b ≤ 100, growing like their size. Continued fraction (Abramowitz & Stegun 26.5.8), O(√max(a, b)) terms.
Real incomplete_beta(Real a, Real b, Real x);

/// P(|T| > t) of Student's t with `freedom` ≥ 1 degrees, t ≥ 0; relative accuracy in the tail as well.
Real student_t_tails(Real t, Index freedom);
/// The t with P(T ≤ t) = probability, 0 < probability < 1. Newton's method inside a bracket, until the
/// bracket or the step is at the rounding level.
Real student_t_quantile(Real probability, Index freedom);
/// The same for the standard normal law.
Real normal_quantile(Real probability);

/// How often a true prediction may be called wrong.
struct Strictness {
  Real level = 0.01;         ///< two-sided rate of false alarms of tests with at least four samples
  Real few_level = 0.00270;  ///< of one to three samples, whose standard deviation comes from theory: 3 σ

  /// Both levels equal: for studies of the rate of false alarms.
  static Strictness nominal(Real level) { return {level, level}; }
};

struct Agreement {
  Verdict verdict = Verdict::too_few_samples;
  std::string statistic_name;     ///< `t`, `z`, `n·KS`, `Tracy-Widom z`
  std::optional<Real> statistic;  ///< empty if it cannot be computed
  /// The statistic agrees within [low, high] (and is borderline up to `disagrees_beyond`, if that is set).
  Real low = 0, high = 0;
  std::optional<Real> disagrees_beyond;
  std::optional<Real> level;  ///< rate of false alarms of the interval, if a law gives it
  std::string reason;         ///< why there is no verdict, or no statistic
};

/// Samples of one number, whose mean a theory predicts.
struct Prediction {
  Real value = 0;
  std::optional<Real> sd;  ///< of one sample
  Real allowance = 0;      ///< largest bias of the theory at this width that is no disagreement
};

/// Student's t of the mean: with S ≥ 4 samples it disagrees if
///
///     |mean − value| > t_{1 − level/2, S−1} · max(s, 0.7 sd) / √S + allowance,
///
/// s the standard deviation of the samples. 0.7 sd keeps a few samples that happen to lie close together from
/// raising an alarm. With 1 to 3 samples, normal quantile and sd take the places of t and s; without sd,
/// these are too few. The statistic is max(0, |mean − value| − allowance) √S / max(s, 0.7 sd), with the sign
/// of mean − value. Samples of ±∞ disagree with any finite prediction; NumericalError for NaN.
Agreement compare_mean(const Vector& samples, const Prediction& predicted, const Strictness& strictness = {});

/// log of m1 = |J|_F²/n.
struct MomentPrediction {
  Real log_value = 0;      ///< log of the predicted mean of m1
  std::optional<Real> sd;  ///< relative standard deviation of m1 over draws
  Real allowance = 0;      ///< see moment_allowance; 0 where the prediction is exact at every width
};

/// Of the spread of m1 over draws, and of its bias, in log m1: beyond, rare draws rule it.
constexpr Real largest_testable = 0.5;

/// compare_mean on logarithms, whose law is close to normal where that of m1 is skewed. The target is
/// log m1 − log(1 + sd²)/2, the mean of the logarithm of a log-normal law. No verdict if sd > 0.5: m1 at this
/// width is ruled by rare draws.
Agreement compare_first_moment(const Vector& log_samples, const MomentPrediction& predicted,
                               const Strictness& strictness = {});

/// 0.25 (1 + relvar)/n, relvar = m2/m1² − 1: largest bias measured for stacks without exact laws; with norms
/// at least 3 L/n (derived here from measurements).
enum class HasNorms { no, yes };
Real moment_allowance(Real relative_variance, Index depth, Index width, HasNorms norms);

/// n · KS of spectra with n singular values each: up to 6 agrees, above 9 disagrees. Singular values repel
/// each other, so the table for independent samples (1.36 √n) does not apply: median 2.2 to 3.0, 95 %
/// quantile below 4.3, largest of 420 draws 5.6 (measured). The statistic is the median of the distances, one
/// a draw: that of a wrong law grows with n in every draw. `allowance` is added to both limits, for what is
/// known to set a spectrum of finite width apart from the law.
Agreement compare_spectrum(const Vector& distances, Index width, Real allowance = 0);

/// The interval within which the statistic of σ_max agrees, for one draw.
struct TracyWidomWindow {
  Real low = -5, high = 2.5;  ///< more than 99 % of the Tracy–Widom law of β = 1
  std::optional<Real> level = {};
};

/// z = (log σ_max² − X₊) (n A)^(2/3), X₊ the upper edge of log σ² and A its scale (SpectralLaw): it follows
/// the Tracy–Widom law of β = 1.
Real edge_statistic(Real log_sigma_max, Real upper_edge, Real upper_scale, Index width);

/// The statistic is the mean of z over S draws; the window shrinks around the mean of the law by √S, but
/// keeps 1 below and 0.35 above it, for the bias at finite width: over 106 stacks of widths 64 to 512 with 64
/// seeds each, the mean of z was between −2.0 and −1.0 (`bench/theory_tables.py edge`). No verdict if depth >
/// n/4: corrections of order L/n move the edge.
Agreement compare_edge(const Vector& z, Index width, Index depth, const TracyWidomWindow& window = {});

}  // namespace theory
}  // namespace rezero
