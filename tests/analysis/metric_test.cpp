#include "rezero/analysis/metric.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rezero {
namespace {

using Value = std::optional<Real>;

/// A spectrum made by hand, of a square J unless told otherwise.
struct Made {
  Spectrum spectrum;
  Observation seen;

  explicit Made(std::vector<ScaledReal> sigma, Index cols = 0) {
    spectrum.sigma = std::move(sigma);
    spectrum.dimension = spectrum.leading = static_cast<Index>(spectrum.sigma.size());
    spectrum.accuracy.relative_resolution = 1e-14;
    spectrum.accuracy.certified = true;
    if (!spectrum.sigma.empty()) spectrum.sigma_max = spectrum.sigma.front();
    seen.rows = seen.cols = cols == 0 ? spectrum.dimension : cols;
    ScaledReal top = spectrum.sigma_max;
    Real sum = 0;
    for (const ScaledReal& s : spectrum.sigma)
      if (!s.is_zero() && s.exponent - top.exponent > -500)
        sum += std::pow(std::ldexp(s.mantissa, static_cast<int>(s.exponent - top.exponent)), 2);
    seen.frobenius_square = ScaledReal::make(sum, 2 * top.exponent);
  }
  static Made of(const std::vector<Real>& values) {
    std::vector<ScaledReal> sigma;
    for (Real value : values) sigma.push_back(ScaledReal::make(value));
    return Made(std::move(sigma));
  }
  Value operator[](const char* name) {
    seen.spectrum = &spectrum;
    return metrics().at(name).compute(seen);
  }
};

TEST(Metrics, Identity) {
  Made m = Made::of({1, 1, 1, 1});
  m.seen.identity_error = m.seen.output_error = ScaledReal{};
  for (const char* one :
       {"sigma_max", "sigma_min", "mean_square", "median_sigma", "isometry_fraction", "outlier_ratio"})
    EXPECT_EQ(m[one], Value(1)) << one;
  for (const char* zero :
       {"log10_sigma_max", "log10_sigma_min", "log10_condition", "log10_mean_square", "relative_variance",
        "mean_log_sigma", "std_log_sigma", "max_isometry_error", "identity_error", "output_error"}) {
    ASSERT_TRUE(m[zero]) << zero;
    EXPECT_NEAR(*m[zero], 0, 1e-15) << zero;
  }
  EXPECT_EQ(m["stable_rank"], Value(4));
  EXPECT_EQ(m["numerical_rank"], Value(4));
}

TEST(Metrics, FourValuesByHand) {
  Made m = Made::of({2, 1.05, 1, 0.5});
  const Real squares = 4 + 1.05 * 1.05 + 1 + 0.25, fourths = 16 + std::pow(1.05, 4) + 1 + 0.0625;
  EXPECT_EQ(m["sigma_max"], Value(2));
  EXPECT_EQ(m["sigma_min"], Value(0.5));
  EXPECT_NEAR(*m["log10_condition"], std::log10(4.0), 1e-15);
  EXPECT_NEAR(*m["mean_square"], squares / 4, 1e-15);
  EXPECT_NEAR(*m["log10_mean_square"], std::log10(squares / 4), 1e-15);
  EXPECT_NEAR(*m["relative_variance"], 4 * fourths / (squares * squares) - 1, 1e-14);
  EXPECT_NEAR(*m["mean_log_sigma"], std::log(2 * 1.05 * 0.5) / 4, 1e-15);
  EXPECT_NEAR(*m["median_sigma"], 1.025, 1e-15);
  EXPECT_EQ(m["isometry_fraction"], Value(0.5));
  EXPECT_EQ(m["max_isometry_error"], Value(1));
  EXPECT_NEAR(*m["outlier_ratio"], 2 / 1.05, 1e-15);
  EXPECT_NEAR(*m["stable_rank"], squares / 4, 1e-14);
  const Real mean = std::log(1.05) / 4;
  Real spread = 0;
  for (Real s : {2.0, 1.05, 1.0, 0.5}) spread += std::pow(std::log(s) - mean, 2) / 4;
  EXPECT_NEAR(*m["std_log_sigma"], std::sqrt(spread), 1e-15);
  EXPECT_EQ(m["identity_error"], Value()) << "not known";
}

/// For a J of rank one, σ₂ is known to be zero.
TEST(Metrics, SecondValueThatIsAProvedZero) {
  Made m = Made::of({0.8, 0});
  EXPECT_EQ(m["bulk_sigma_max"], Value());
  m.spectrum.null_directions = 1;
  EXPECT_EQ(m["bulk_sigma_max"], Value(0));
  EXPECT_EQ(m["outlier_ratio"], Value());
}

TEST(Metrics, ZeroMatrix) {
  Made m = Made::of({0, 0, 0});
  for (bool proved : {false, true}) {
    m.spectrum.null_directions = proved ? 3 : 0;
    EXPECT_EQ(m["sigma_max"], proved ? Value(0) : Value()) << "a zero that is not proved may be underflow";
    EXPECT_EQ(m["mean_square"], Value(0));
    EXPECT_EQ(m["numerical_rank"], Value(0));
    EXPECT_EQ(m["max_isometry_error"], Value(1));
    EXPECT_EQ(m["isometry_fraction"], Value(0));
    for (const char* none :
         {"log10_sigma_max", "log10_sigma_min", "log10_condition", "log10_mean_square", "relative_variance",
          "mean_log_sigma", "std_log_sigma", "stable_rank", "outlier_ratio"})
      EXPECT_EQ(m[none], Value()) << none;
    EXPECT_EQ(m["sigma_min"], proved ? Value(0) : Value());
  }
}

/// Noise below the resolution is distinguished from a proved zero.
TEST(Metrics, RankDeficient) {
  Made noise = Made::of({3, 2, 1e-17, 0}), proved = Made::of({3, 2, 0, 0});
  proved.spectrum.null_directions = 2;
  EXPECT_EQ(noise["numerical_rank"], Value(2));
  EXPECT_EQ(proved["numerical_rank"], Value(2));
  EXPECT_EQ(noise["sigma_min"], Value());
  EXPECT_EQ(proved["sigma_min"], Value(0));
  EXPECT_EQ(noise["median_sigma"], Value()) << "one of the middle two is noise";
  EXPECT_EQ(proved["median_sigma"], Value(1));
  for (const char* none : {"log10_sigma_min", "log10_condition", "mean_log_sigma", "std_log_sigma"}) {
    EXPECT_EQ(noise[none], Value()) << none;
    EXPECT_EQ(proved[none], Value()) << none;
  }
  EXPECT_EQ(noise["max_isometry_error"], Value(2));
  EXPECT_EQ(proved["isometry_fraction"], Value(0));
  EXPECT_EQ(Made::of({3, 1e-17})["outlier_ratio"], Value()) << "not resolved";
}

TEST(Metrics, BeyondTheRangeOfDoubles) {
  Made m({{0.5, 5001}, {0.5, 4991}});
  EXPECT_EQ(m["sigma_max"], Value()) << "no double";
  EXPECT_EQ(m["mean_square"], Value());
  EXPECT_NEAR(*m["log10_sigma_max"], 5000 * std::log10(2.0), 1e-11);
  EXPECT_NEAR(*m["log10_condition"], 10 * std::log10(2.0), 1e-13);
  EXPECT_NEAR(*m["mean_log_sigma"], 4995 * std::log(2.0), 1e-11);
  EXPECT_NEAR(*m["std_log_sigma"], 5 * std::log(2.0), 1e-11);
  EXPECT_NEAR(*m["outlier_ratio"], 1024, 0);
  EXPECT_NEAR(*m["log10_mean_square"], 10000 * std::log10(2.0) + std::log10((1 + std::exp2(-20)) / 2), 1e-11);
  EXPECT_NEAR(*m["stable_rank"], 1 + std::exp2(-20), 1e-15);
  EXPECT_EQ(m["isometry_fraction"], Value(0));
  EXPECT_EQ(m["max_isometry_error"], Value()) << "no double";
  Made tiny({{0.5, -4999}, {0.5, -5000}});
  EXPECT_EQ(tiny["max_isometry_error"], Value(1)) << "|0 − 1|";
  EXPECT_EQ(tiny["isometry_fraction"], Value(0));
  EXPECT_NEAR(*tiny["log10_sigma_min"], -5001 * std::log10(2.0), 1e-11);
  EXPECT_NEAR(*tiny["relative_variance"], 2 * (1 + 1.0 / 16) / std::pow(1.25, 2) - 1, 1e-14);
  Made wide({{0.5, 3000}, {0.5, -3000}});
  wide.spectrum.accuracy.relative_resolution = 0;  // as an exact method gives them
  EXPECT_NEAR(*wide["log10_condition"], 6000 * std::log10(2.0), 1e-11);
}

/// Values lost in noise as large as 1 may lie anywhere, including [0.9, 1.1].
TEST(Metrics, NoiseThatReachesOneIsNotCounted) {
  Made m = Made::of({1e18, 1, 1});
  EXPECT_EQ(m["isometry_fraction"], Value());
  EXPECT_EQ(Made::of({1e10, 1, 1})["isometry_fraction"], Value(2.0 / 3));
}

TEST(Metrics, PartialSpectra) {
  Made top = Made::of({4, 2, 1});
  top.spectrum.part = SpectrumPart::largest, top.spectrum.dimension = 10, top.seen.cols = 10;
  EXPECT_EQ(top["sigma_max"], Value(4));
  EXPECT_EQ(top["outlier_ratio"], Value(2));
  EXPECT_NEAR(*top["mean_square"], 2.1, 1e-15) << "‖J‖_F is known whatever the spectrum";
  EXPECT_NEAR(*top["stable_rank"], 21.0 / 16, 1e-15);
  for (const char* none :
       {"sigma_min", "log10_sigma_min", "log10_condition", "relative_variance", "mean_log_sigma",
        "std_log_sigma", "median_sigma", "isometry_fraction", "max_isometry_error", "numerical_rank"})
    EXPECT_EQ(top[none], Value()) << none;
  Made low = Made::of({4, 2, 1});
  low.spectrum.part = SpectrumPart::smallest;
  EXPECT_EQ(low["sigma_max"], Value());
  EXPECT_EQ(low["sigma_min"], Value(1));
  EXPECT_EQ(low["outlier_ratio"], Value());
  EXPECT_EQ(low["stable_rank"], Value());
  Made both = Made::of({4, 2, 1});
  both.spectrum.part = SpectrumPart::both_ends, both.spectrum.leading = 1;
  EXPECT_EQ(both["sigma_max"], Value(4));
  EXPECT_EQ(both["sigma_min"], Value(1));
  EXPECT_NEAR(*both["log10_condition"], std::log10(4.0), 1e-15);
  EXPECT_EQ(both["max_isometry_error"], Value(3));
  EXPECT_EQ(both["outlier_ratio"], Value()) << "the second largest is not among them";
  EXPECT_EQ(both["median_sigma"], Value());
}

TEST(Metrics, MedianOfAnUnresolvedValueAndAProvedZeroIsNone) {
  Made m = Made::of({3, 1e-17, 0, 0});
  m.spectrum.null_directions = 2;
  m.spectrum.accuracy.relative_resolution = 1e-14;
  EXPECT_EQ(m["median_sigma"], Value());
}

TEST(Metrics, NothingOfABreakdown) {
  Made m = Made::of({4, 2, 1});
  m.spectrum.status = SpectrumStatus::breakdown;
  for (const Metric& metric : metrics()) {
    if (metric.name == "mean_square" || metric.name == "log10_mean_square") continue;
    EXPECT_EQ(m[metric.name.data()], Value()) << metric.name;
  }
}

}  // namespace
}  // namespace rezero
