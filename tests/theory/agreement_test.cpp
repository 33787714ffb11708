#include "rezero/theory/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/draws.h"

namespace rezero::theory {
namespace {

constexpr Real pi = 3.14159265358979323846;
constexpr Real infinity = std::numeric_limits<Real>::infinity();

Vector values(std::initializer_list<Real> list) {
  Vector v(static_cast<Index>(list.size()));
  Index i = 0;
  for (const Real value : list) v[i++] = value;
  return v;
}

/// Relative distance.
void expect_close(Real found, Real expected, Real tolerance) {
  EXPECT_LE(std::abs(found - expected), tolerance * std::abs(expected)) << found << " " << expected;
}

// ---- distributions

/// Tables of Student's t: 0.975, 0.995 and 0.9995 quantiles.
TEST(ReferenceStudentT, IsTheTable) {
  struct Row {
    Index freedom;
    Real q975, q995, q9995;
  };
  for (const Row& row :
       {Row{1, 12.706, 63.657, 636.619}, Row{2, 4.303, 9.925, 31.599}, Row{3, 3.182, 5.841, 12.924},
        Row{4, 2.776, 4.604, 8.610}, Row{7, 2.365, 3.499, 5.408}, Row{15, 2.131, 2.947, 4.073},
        Row{30, 2.042, 2.750, 3.646}, Row{120, 1.980, 2.617, 3.373}}) {
    EXPECT_NEAR(student_t_quantile(0.975, row.freedom), row.q975, 6e-4) << row.freedom;
    EXPECT_NEAR(student_t_quantile(0.995, row.freedom), row.q995, 6e-4) << row.freedom;
    EXPECT_NEAR(student_t_quantile(0.9995, row.freedom), row.q9995, 6e-4) << row.freedom;
  }
}

/// Closed forms: 1 degree of freedom tan(π (p − 1/2)); 2: (2p − 1)/√(2 p (1 − p)); 4: 2 √(s − 1), s =
/// cos(acos(√a)/3)/√a, a = 4 p (1 − p) (Shaw 2006).
TEST(StudentT, QuantilesAreTheClosedForms) {
  for (const Real p : {0.5000001, 0.51, 0.6, 0.75, 0.9, 0.975, 0.995, 0.99999}) {
    expect_close(student_t_quantile(p, 1), 1 / std::tan(pi * (1 - p)), 1e-9);
    expect_close(student_t_quantile(p, 2), 2 * (p - 0.5) / std::sqrt(2 * p * (1 - p)), 1e-13);
    EXPECT_EQ(student_t_quantile(1 - p, 2), -student_t_quantile(1 - (1 - p), 2));
  }
  for (const Real p : {0.75, 0.9, 0.975, 0.995, 0.99999}) {
    const Real a = 4 * p * (1 - p), s = std::cos(std::acos(std::sqrt(a)) / 3) / std::sqrt(a);
    expect_close(student_t_quantile(p, 4), 2 * std::sqrt(s - 1), 1e-12);
  }
  EXPECT_EQ(student_t_quantile(0.5, 5), 0);
}

/// P(|T| > t) = 1 − (2/π) atan t for 1 degree; 1 − t/√(2 + t²) for 2: in the far tail 1/t² and 2/(π t).
TEST(StudentT, TailsKeepTheirRelativeAccuracy) {
  expect_close(student_t_tails(1e8, 1), 2 / (pi * 1e8), 1e-13);
  expect_close(student_t_tails(1e200, 1), 2 / (pi * 1e200), 1e-13);
  expect_close(student_t_tails(1e8, 2), 1e-16, 1e-13);
  expect_close(student_t_tails(1, 1), 0.5, 1e-14);
  EXPECT_EQ(student_t_tails(0, 3), 1);
  expect_close(student_t_quantile(1e-200, 1), -1 / (pi * 1e-200), 1e-13);
}

TEST(StudentT, QuantileInvertsTheTails) {
  for (const Index freedom : {1, 2, 3, 5, 9, 30, 300, 2047, 2048, 100000})
    for (const Real tail : {1e-12, 1e-5, 0.01, 0.2, 0.45, 0.499})
      expect_close(student_t_tails(-student_t_quantile(tail, freedom), freedom), 2 * tail, 1e-11);
}

TEST(StudentT, BecomesNormal) {
  expect_close(normal_quantile(0.975), 1.959963984540054, 1e-14);
  expect_close(normal_quantile(0.995), 2.575829303548901, 1e-14);
  expect_close(normal_quantile(1 - 0.0013498980316300933), 3, 1e-13);
  // z + (z³ + z)/(4 v) + O(1/v²) (Abramowitz & Stegun 26.7.5)
  const Real z = normal_quantile(0.975);
  for (const Index freedom : {10000, 1000000})
    expect_close(student_t_quantile(0.975, freedom), z + (z * z * z + z) / (4 * static_cast<Real>(freedom)),
                 2e-8);
}

/// I_x(a, b) of whole numbers is a binomial sum; I_x(1/2, 1/2) = (2/π) asin √x.
TEST(IncompleteBeta, IsTheClosedForm) {
  for (const Real x : {1e-6, 0.1, 0.5, 0.9, 0.999}) {
    expect_close(incomplete_beta(0.5, 0.5, x), 2 / pi * std::asin(std::sqrt(x)), 1e-13);
    expect_close(incomplete_beta(1, 3, x), -std::expm1(3 * std::log1p(-x)), 1e-13);
    expect_close(incomplete_beta(2, 2, x), x * x * (3 - 2 * x), 1e-13);
  }
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

// ---- the mean of samples

TEST(Agreement, TStatisticByHand) {
  // mean 3, sd √(10/4), standard error √(1/2); threshold t_{0.975,4} = 2.776
  const Vector samples = values({1, 2, 3, 4, 5});
  const Agreement close = compare_mean(samples, {1.5, {}, 0}, Strictness::nominal(0.05));
  EXPECT_EQ(close.verdict, Verdict::agrees);
  EXPECT_EQ(close.statistic_name, "t");
  expect_close(*close.statistic, 1.5 * std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(close.high, 2.776, 1e-3);
  EXPECT_EQ(close.low, -close.high);
  EXPECT_EQ(compare_mean(samples, {1.0, {}, 0}, Strictness::nominal(0.05)).verdict, Verdict::disagrees);
  // The allowance moves the bound by as much.
  expect_close(*compare_mean(samples, {1.0, {}, 0.5}).statistic, 1.5 * std::sqrt(2.0), 1e-14);
  EXPECT_EQ(*compare_mean(samples, {4, {}, 1}).statistic, 0);
  EXPECT_LT(*compare_mean(samples, {5, {}, 0}).statistic, 0);
}

TEST(Agreement, SamplesThatLieCloseByChanceDoNotAccuse) {
  const Vector samples = values({1, 1, 1, 1});
  EXPECT_EQ(compare_mean(samples, {1.1, {}, 0}).verdict, Verdict::disagrees);
  EXPECT_EQ(compare_mean(samples, {1.1, {}, 0}).statistic, -infinity);
  EXPECT_EQ(compare_mean(samples, {1.1, 1, 0}).verdict, Verdict::agrees);
  expect_close(*compare_mean(samples, {1.1, 1, 0}).statistic, -0.1 * 2 / 0.7, 1e-12);
}

TEST(Agreement, FewSamplesUseTheSpreadOfTheory) {
  const Agreement one = compare_mean(values({2.9}), {0, 1, 0});
  EXPECT_EQ(one.verdict, Verdict::agrees);
  EXPECT_EQ(one.statistic_name, "z");
  EXPECT_NEAR(one.high, 3, 1e-4);
  EXPECT_EQ(compare_mean(values({3.1}), {0, 1, 0}).verdict, Verdict::disagrees);
  EXPECT_EQ(compare_mean(values({1.8, 1.8, 1.8}), {0, 1, 0}).verdict, Verdict::disagrees);  // 1.8 √3 > 3
  EXPECT_EQ(compare_mean(values({1.8, 1.8, 1.8}), {0, {}, 0}).verdict, Verdict::too_few_samples);
  EXPECT_EQ(compare_mean(Vector(), {0, 1, 0}).verdict, Verdict::too_few_samples);
}

TEST(Agreement, NumbersThatAreNotFiniteDoNotPass) {
  const Agreement dead = compare_mean(values({0, -infinity, 0, 0}), {0, 1, 0});
  EXPECT_EQ(dead.verdict, Verdict::disagrees);
  EXPECT_FALSE(dead.statistic);
  EXPECT_NE(dead.reason, "");
  EXPECT_THROW(compare_mean(values({0, std::nan(""), 0, 0}), {0, 1, 0}), NumericalError);
  EXPECT_THROW(compare_mean(values({0, 0, 0, 0}), {infinity, 1, 0}), NumericalError);
}

// ---- m1

TEST(Agreement, FirstMomentIsComparedAsALogarithm) {
  // log-normal with sd 0.3: the mean of the logarithm is log 2 − log(1.09)/2.
  const Real target = std::log(2.0) - std::log(1.09) / 2;
  const Agreement exact = compare_first_moment(values({target}), {std::log(2.0), 0.3, 0});
  EXPECT_EQ(exact.verdict, Verdict::agrees);
  EXPECT_NEAR(*exact.statistic, 0, 1e-14);
  const Agreement wide = compare_first_moment(values({target}), {std::log(2.0), 0.51, 0});
  EXPECT_EQ(wide.verdict, Verdict::no_theory);
  EXPECT_EQ(wide.reason, "finite-size regime, not testable at this width");
  EXPECT_FALSE(wide.statistic);
}

TEST(Agreement, AllowanceIsThatOfTheWidth) {
  EXPECT_DOUBLE_EQ(moment_allowance(3, 16, 100, HasNorms::no), 0.01);
  EXPECT_DOUBLE_EQ(moment_allowance(3, 16, 100, HasNorms::yes), 0.48);
}

/// The rate of false alarms of the nominal 5 % test on log-normal m1, whose prediction is exact: 5 % within
/// three standard errors of 4000 trials (1 %), or below where 0.7 sd protects few samples. Deterministic.
TEST(LawAgreement, FalseAlarmsAreAsRareAsStated) {
  constexpr Index trials = 4000;
  const Real sd = 0.3, sigma = std::sqrt(std::log1p(sd * sd));
  for (const Index count : {1, 2, 3, 4, 8, 16}) {
    const Matrix draws = testing::normal(count, trials, static_cast<std::uint32_t>(count));
    Index alarms = 0, strict = 0;
    for (Index i = 0; i < trials; ++i) {
      const Vector logs = (draws.col(i).array() * sigma - sigma * sigma / 2).matrix();
      alarms +=
          compare_first_moment(logs, {0, sd, 0}, Strictness::nominal(0.05)).verdict == Verdict::disagrees;
      strict += compare_first_moment(logs, {0, sd, 0}).verdict == Verdict::disagrees;
    }
    const Real rate = static_cast<Real>(alarms) / trials;
    EXPECT_LE(rate, 0.05 + 3 * std::sqrt(0.05 * 0.95 / trials)) << count;
    EXPECT_GE(rate, 0.01) << count;
    EXPECT_LE(static_cast<Real>(strict) / trials, 0.01 + 3 * std::sqrt(0.01 * 0.99 / trials)) << count;
  }
}

/// A prediction wrong by 5 standard errors is found.
TEST(LawAgreement, WrongPredictionsAreFound) {
  const Matrix draws = testing::normal(16, 200, 77);
  Index alarms = 0;
  for (Index i = 0; i < 200; ++i)
    alarms += compare_mean(draws.col(i), {1.5, 1, 0}).verdict == Verdict::disagrees;
  EXPECT_GE(alarms, 190);
}

// ---- spectra

TEST(Agreement, DistancesOfSpectra) {
  EXPECT_EQ(compare_spectrum(values({0.0149}), 400).verdict, Verdict::agrees);
  EXPECT_EQ(compare_spectrum(values({0.0149, 0.02}), 400).verdict, Verdict::borderline);
  EXPECT_EQ(compare_spectrum(values({0.01, 0.0149, 0.04}), 400).verdict, Verdict::agrees);
  EXPECT_EQ(compare_spectrum(values({0.0175}), 400).verdict, Verdict::borderline);
  EXPECT_EQ(compare_spectrum(values({0.0175}), 400, 2).verdict, Verdict::agrees);
  EXPECT_EQ(compare_spectrum(values({0.0425}), 400).verdict, Verdict::disagrees);
  EXPECT_EQ(compare_spectrum(Vector(), 400).verdict, Verdict::too_few_samples);
  EXPECT_THROW(compare_spectrum(values({std::nan("")}), 400), NumericalError);
}

/// linear, L = 16, α = 0.25, n = 200: edge 4.327, measured 4.216 (its scale follows from the mean 4.224 of
/// the Tracy–Widom law).
TEST(Agreement, EdgeInUnitsOfTracyAndWidom) {
  const Real edge = 2 * std::log(4.327), scale = -1.2065 / (2 * std::log(4.224) - edge);
  const Real A = std::pow(scale, 1.5) / 200;
  const Agreement found = compare_edge(values({edge_statistic(std::log(4.216), edge, A, 200)}), 200, 16);
  EXPECT_EQ(found.verdict, Verdict::agrees);
  EXPECT_NEAR(*found.statistic, -1.30, 0.01);
  EXPECT_EQ(compare_edge(values({edge_statistic(std::log(4.6), edge, A, 200)}), 200, 16).verdict,
            Verdict::disagrees);
  EXPECT_EQ(compare_edge(values({edge_statistic(std::log(4.216), edge, A, 63)}), 63, 16).verdict,
            Verdict::no_theory);
  // Many draws narrow the window, but never below the largest bias.
  const Agreement many =
      compare_edge(Vector::Constant(10000, edge_statistic(std::log(4.216), edge, A, 200)), 200, 16);
  EXPECT_NEAR(many.low, -1.2065 - 1, 0.05);
  EXPECT_NEAR(many.high, -1.2065 + 0.35, 0.05);
  EXPECT_EQ(many.verdict, Verdict::agrees);
}

TEST(Agreement, VerdictsHaveWords) {
  EXPECT_EQ(to_string(Verdict::no_theory), "no-theory");
  EXPECT_EQ(lookup<Verdict>("agrees"), Verdict::agrees);
}

}  // namespace
}  // namespace rezero::theory
