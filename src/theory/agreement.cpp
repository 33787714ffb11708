#include "rezero/theory/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/contract.h"
#include "rezero/theory/density.h"
#include "theory/normal_quantile.h"

namespace rezero::theory {
namespace {

constexpr Real pi = 3.14159265358979323846;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

/// 1/B(a, b) for b = 1/2 and 2a a whole number, by the recurrence of Γ from 1/B(1/2, 1/2) = 1/π or
/// 1/B(1, 1/2) = 1/2: no difference of logarithms of Γ. From 2a = 2048 on, the series of Γ(a + 1/2)/Γ(a) in
/// 1/a, whose next term is below 1e-17.
Real reciprocal_beta_half(Index twice_a) {
  if (twice_a >= 2048) {
    const Real x = 1 / (4 * static_cast<Real>(twice_a));  // 1/(8 a)
    const Real ratio = 1 + x * (-1 + x * (0.5 + x * (2.5 + x * (-21.0 / 8 + x * (-399.0 / 8)))));
    return std::sqrt(static_cast<Real>(twice_a) / 2) * ratio / std::sqrt(pi);
  }
  Real value = twice_a % 2 ? 1 / pi : 0.5;
  for (Index k = twice_a % 2 ? 1 : 2; k < twice_a; k += 2) value *= 1 + 1 / static_cast<Real>(k);
  return value;
}

/// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a + 1)/(a + b + 2).
Real beta_fraction(Real a, Real b, Real x) {
  constexpr Real tiny = 1e-300;
  const auto away = [](Real v) { return std::abs(v) < tiny ? tiny : v; };
  Real c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), h = d;
  for (Real m = 1; m < 1e5; ++m) {
    const Real even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d), c = away(1 + even / c), h *= d * c;
    const Real odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d), c = away(1 + odd / c);
    const Real factor = d * c;
    h *= factor;
    if (std::abs(factor - 1) <= epsilon) return h;
  }
  throw NumericalError("the continued fraction of the incomplete beta function does not converge");
}

/// x^a y^b / B(a, b) with y = 1 − x, from the logarithm of 1/B.
Real incomplete_beta(Real a, Real b, Real x, Real y, Real reciprocal_beta) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const Real front = std::exp(a * std::log(x) + b * std::log(y)) * reciprocal_beta;
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

/// P(|T| > t) and P(|T| < t), each with its own relative accuracy.
struct Tails {
  Real outside, inside;
};
Tails student_tails(Real t, Index freedom) {
  const Real v = static_cast<Real>(freedom), square = t * t, front = reciprocal_beta_half(freedom);
  if (!std::isfinite(square)) return {front * 2 / v * std::pow(std::sqrt(v) / t, v), 1};  // the leading term
  const Real x = v / (v + square), y = square / (v + square);
  return {incomplete_beta(v / 2, 0.5, x, y, front), incomplete_beta(0.5, v / 2, y, x, front)};
}
/// The t ≥ 0 with P(|T| > t) = outside, if that is the smaller part, or P(|T| < t) = inside.
template <class TailsAt, class Density>
Real solve_tails(Real outside, Real inside, TailsAt tails, Density density) {
  const bool by_tail = outside < inside;
  // f falls from positive to negative through the root; log P of the tail is close to linear in log t or t².
  const auto f = [&](Real t) {
    const Tails at = tails(t);
    return by_tail ? std::log(at.outside / outside) : inside - at.inside;
  };
  Real low = 0, high = 1;
  while (f(high) > 0) low = high, high *= 2;
  Real t = (low + high) / 2;
  for (int i = 0; i < 200; ++i) {
    const Real value = f(t);
    (value > 0 ? low : high) = t;
    const Real slope = 2 * density(t) / (by_tail ? tails(t).outside : 1);
    Real next = t + value / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - t) <= epsilon * t || high - low <= epsilon * high) return next;
    t = next;
  }
  return t;
}

template <class TailsAt, class Density>
Real quantile(Real probability, TailsAt tails, Density density) {
  REZERO_REQUIRE(probability > 0 && probability < 1);
  if (probability == 0.5) return 0;
  const Real tail = std::min(probability, 1 - probability);
  const Real t = solve_tails(2 * tail, 2 * std::abs(probability - 0.5), tails, density);
  return probability < 0.5 ? -t : t;
}

Real mean_of(const Vector& samples) {
  return samples.mean();
}
Real sd_of(const Vector& samples) {
  return std::sqrt((samples.array() - samples.mean()).square().sum() / static_cast<Real>(samples.size() - 1));
}

/// Whether every sample is finite. NumericalError for NaN.
bool all_finite(const Vector& samples) {
  bool finite = true;
  for (const Real sample : samples) {
    if (std::isnan(sample)) throw NumericalError("a sample to be compared with theory is not a number");
    finite = finite && std::isfinite(sample);
  }
  return finite;
}

Agreement without_statistic(Agreement result, Verdict verdict, std::string reason) {
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

void decide(Agreement& result, Real statistic) {
  result.statistic = statistic;
  const bool inside = statistic >= result.low && statistic <= result.high;
  result.verdict = inside                                                             ? Verdict::agrees
                   : result.disagrees_beyond && statistic <= *result.disagrees_beyond ? Verdict::borderline
                                                                                      : Verdict::disagrees;
}

constexpr Index fewest_for_t = 4;

/// Standard error of the mean that the test uses, and the bound of the statistic in units of it.
Real scale_of_test(const Vector& samples, const Prediction& predicted) {
  const Real theory = predicted.sd.value_or(0);
  if (samples.size() < fewest_for_t) return theory;
  return std::max(sd_of(samples), 0.7 * theory);
}

}  // namespace

Real incomplete_beta(Real a, Real b, Real x) {
  REZERO_REQUIRE(a > 0 && b > 0 && x >= 0 && x <= 1);
  const Real reciprocal = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b));
  return incomplete_beta(a, b, x, 1 - x, reciprocal);
}

Real student_t_tails(Real t, Index freedom) {
  REZERO_REQUIRE(freedom >= 1 && t >= 0);
  return student_tails(t, freedom).outside;
}

Real student_t_quantile(Real probability, Index freedom) {
  REZERO_REQUIRE(freedom >= 1);
  const Real v = static_cast<Real>(freedom), front = reciprocal_beta_half(freedom) / std::sqrt(v);
  return quantile(
      probability, [&](Real t) { return student_tails(t, freedom); },
      [&](Real t) { return front * std::exp(-(v + 1) / 2 * std::log1p(t * t / v)); });
}

Real normal_quantile(Real probability) {
  return detail::normal_quantile(probability);
}

Agreement compare_mean(const Vector& samples, const Prediction& predicted, const Strictness& strictness) {
  REZERO_REQUIRE(strictness.level > 0 && strictness.level < 1 && strictness.few_level > 0 &&
                 strictness.few_level < 1 && predicted.allowance >= 0);
  const Index count = samples.size();
  const bool few = count < fewest_for_t;
  Agreement result;
  result.statistic_name = few ? "z" : "t";
  result.level = few ? strictness.few_level : strictness.level;
  result.high =
      few ? normal_quantile(1 - *result.level / 2) : student_t_quantile(1 - *result.level / 2, count - 1);
  result.low = -result.high;
  if (!std::isfinite(predicted.value) || (predicted.sd && !std::isfinite(*predicted.sd)))
    throw NumericalError("a prediction to be compared with samples is not finite");
  if (count == 0) return without_statistic(result, Verdict::too_few_samples, "no samples");
  if (few && !predicted.sd)
    return without_statistic(result, Verdict::too_few_samples,
                             "fewer than 4 samples, and theory does not say how much draws differ");
  if (!all_finite(samples))
    return without_statistic(result, Verdict::disagrees, "a measured value is not finite");
  const Real difference = mean_of(samples) - predicted.value;
  const Real beyond = std::max(Real{0}, std::abs(difference) - predicted.allowance);
  const Real scale = scale_of_test(samples, predicted) / std::sqrt(static_cast<Real>(count));
  // Equal samples without a spread in theory: a difference beyond the allowance is infinitely many errors.
  decide(result, beyond == 0 ? 0 : std::copysign(beyond / scale, difference));
  return result;
}

Agreement compare_first_moment(const Vector& log_samples, const MomentPrediction& predicted,
                               const Strictness& strictness) {
  const Real sd = predicted.sd.value_or(0);
  Prediction of_log{predicted.log_value - std::log1p(sd * sd) / 2, predicted.sd, predicted.allowance};
  Agreement result = compare_mean(log_samples, of_log, strictness);
  if (sd <= largest_testable && predicted.allowance <= largest_testable) return result;
  result.statistic.reset();
  return without_statistic(result, Verdict::no_theory, "finite-size regime, not testable at this width");
}

Real moment_allowance(Real relative_variance, Index depth, Index width, HasNorms norms) {
  const Real n = static_cast<Real>(width), usual = 0.25 * (1 + relative_variance) / n;
  return norms == HasNorms::yes ? std::max(usual, 3 * static_cast<Real>(depth) / n) : usual;
}

namespace {

Real median_of(const Vector& samples) {
  std::vector<Real> sorted(samples.data(), samples.data() + samples.size());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

Agreement compare_spectrum(const Vector& distances, Index width, Real allowance) {
  constexpr Real agrees = 6, disagrees = 9;
  Agreement result;
  result.statistic_name = "n·KS";
  result.high = agrees + allowance;
  result.disagrees_beyond = disagrees + allowance;
  // n·KS cannot exceed n.
  if (2 * *result.disagrees_beyond >= static_cast<Real>(width))
    return without_statistic(result, Verdict::no_theory,
                             "finite-size regime, too few singular values to tell");
  if (distances.size() == 0) return without_statistic(result, Verdict::too_few_samples, "no samples");
  if (!all_finite(distances)) throw NumericalError("a distance of spectra is not finite");
  decide(result, static_cast<Real>(width) * median_of(distances));
  return result;
}

Real edge_statistic(Real log_sigma_max, Real upper_edge, Real upper_scale, Index width) {
  REZERO_REQUIRE(width > 0 && upper_scale > 0);
  return (2 * log_sigma_max - upper_edge) * std::pow(static_cast<Real>(width) * upper_scale, Real{2} / 3);
}

Agreement compare_edge(const Vector& z, Index width, Index depth, const TracyWidomWindow& window) {
  constexpr Real law_mean = tracy_widom_mean, bias_down = 1, bias_up = 0.35;
  REZERO_REQUIRE(width > 0 && window.low < law_mean && window.high > law_mean);
  const Index count = z.size();
  Agreement result;
  result.statistic_name = "Tracy-Widom z";
  result.low = window.low, result.high = window.high, result.level = window.level;
  if (count == 0) return without_statistic(result, Verdict::too_few_samples, "no samples");
  if (4 * depth > width)
    return without_statistic(result, Verdict::no_theory,
                             "finite-size regime, depth is above a quarter of the width");
  if (!all_finite(z)) return without_statistic(result, Verdict::disagrees, "a measured value is not finite");
  if (count > 1) {
    const Real root = std::sqrt(static_cast<Real>(count));
    result.low = std::max(window.low, law_mean + (window.low - law_mean) / root - bias_down);
    result.high = std::min(window.high, law_mean + (window.high - law_mean) / root + bias_up);
  }
  decide(result, mean_of(z));
  return result;
}

}  // namespace rezero::theory
