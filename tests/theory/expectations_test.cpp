#include "rezero/theory/expectations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "support/gauss_legendre.h"

namespace rezero::theory {
namespace {

const Real pi = std::acos(-1.0);

GaussianIntegrals of(const char* activation) {
  return GaussianIntegrals(Activation(std::string_view(activation)));
}

/// asin x of the literature is written atan(x/√(1 − x²)), which keeps its accuracy near 1.
/// Right to 1e-12 of the value, and where it vanishes by symmetry, of `size`.
void expect_right(Real computed, Real truth, Real size, const std::string& what) {
  EXPECT_NEAR(computed, truth, 1e-12 * std::max(std::abs(truth), size)) << what;
}

const Real variances[] = {1e-12, 1e-6, 0.3, 1, 4, 40, 1e4, 1e12};

TEST(Expectations, ClosedFormsOfErf) {
  const GaussianIntegrals erf = of("erf");
  for (const Real p : variances) {
    const Expectations e = erf.at(p);
    const std::string at = "p = " + std::to_string(p);
    EXPECT_EQ(e.mean, 0) << at;
    EXPECT_EQ(e.curvature, 0) << at;
    EXPECT_EQ(e.mixed_single, 0) << at;
    expect_right(e.square, 2 / pi * std::atan(2 * p / std::sqrt(1 + 4 * p)), 0, at + ", square");
    expect_right(e.slope_square, 4 / pi / std::sqrt(1 + 4 * p), 0, at + ", slope_square");
    expect_right(e.slope_fourth, 16 / (pi * pi) / std::sqrt(1 + 8 * p), 0, at + ", slope_fourth");
  }
}

TEST(Expectations, ClosedFormsOfGelu) {
  const GaussianIntegrals gelu = of("gelu");
  for (const Real p : variances) {
    const Expectations e = gelu.at(p);
    const std::string at = "p = " + std::to_string(p);
    const Real angle = 0.25 + std::atan(p / std::sqrt(1 + 2 * p)) / (2 * pi), s = std::sqrt(p);
    expect_right(e.mean, p / std::sqrt(2 * pi * (1 + p)), s, at + ", mean");
    expect_right(e.square, p * (angle + p / ((1 + p) * pi * std::sqrt(1 + 2 * p))), 0, at + ", square");
    expect_right(e.slope_square,
                 angle + p / (pi * (1 + p) * std::sqrt(1 + 2 * p)) + p / (2 * pi * std::pow(1 + 2 * p, 1.5)),
                 0, at + ", slope_square");
    expect_right(e.curvature, (2 / std::sqrt(1 + p) - p / std::pow(1 + p, 1.5)) / std::sqrt(2 * pi), 1 / s,
                 at + ", curvature");
  }
}

TEST(Expectations, PiecewiseLinear) {
  for (const Real s : {0.0, 0.01, 0.1, 0.5}) {
    const GaussianIntegrals leaky(Activation("leaky_relu:slope=" + std::to_string(s)));
    for (const Real p : variances) {
      const Expectations e = leaky.at(p);
      expect_right(e.square, p * (1 + s * s) / 2, 0, "square");
      expect_right(e.slope_square, (1 + s * s) / 2, 0, "slope_square");
      expect_right(e.kurtosis(), 2 * (1 + std::pow(s, 4)) / std::pow(1 + s * s, 2), 0, "kurtosis");
      expect_right(e.mean, (1 - s) * std::sqrt(p / (2 * pi)), 0, "mean");
      expect_right(e.curvature, (1 - s) / std::sqrt(2 * pi * p), 0, "curvature");
    }
  }
  const Expectations e = of("identity").at(4);
  EXPECT_EQ(e.square, 4);
  EXPECT_EQ(e.slope_square, 1);
  EXPECT_EQ(e.kurtosis(), 1);
  EXPECT_EQ(of("relu").at(4).kurtosis(), 2);
}

TEST(Expectations, PowersOfTheNormalDistribution) {
  for (const Real p : {1e-6, 1.0, 30.0, 1e12}) {
    const Expectations e = of("relu_squared").at(p);
    expect_right(e.mean, p / 2, 0, "mean");
    expect_right(e.square, 1.5 * p * p, 0, "square");
    expect_right(e.fourth, 105 * std::pow(p, 4) / 2, 0, "fourth");
    expect_right(e.slope_square, 2 * p, 0, "slope_square");
    expect_right(e.slope_fourth, 24 * p * p, 0, "slope_fourth");
    expect_right(e.curvature, 1, 0, "curvature");
    expect_right(e.cross, 3 * p, 0, "cross");  // φ φ′ = 2 h³ for h > 0
  }
}

TEST(Expectations, HardTanhHasKinksAtAnyScale) {
  const GaussianIntegrals hard = of("hard_tanh");
  for (const Real p : {0.05, 0.3, 1.0, 7.0, 1e4, 1e12}) {
    const Real cut = 1 / std::sqrt(p), density = std::exp(-cut * cut / 2) / std::sqrt(2 * pi),
               inside = std::erf(cut / std::sqrt(2)), outside = std::erfc(cut / std::sqrt(2));
    const Expectations e = hard.at(p);
    expect_right(e.slope_square, inside, 0, "slope_square");
    // p ∫ z² inside, where the difference cancels by its series.
    const Real c2 = cut * cut, series = 2 * cut / std::sqrt(2 * pi) * (1.0 / 3 - c2 / 10 + c2 * c2 / 56);
    expect_right(e.square, (p > 1000 ? series : p * (inside - 2 * cut * density)) + outside, 0, "square");
    const SlopeLaw law = hard.slopes(p);
    ASSERT_EQ(law.square.size(), 2);
    EXPECT_EQ(law.square(0), 1);
    EXPECT_EQ(law.square(1), 0);
    expect_right(law.weight(0), inside, 0, "weight");
  }
}

TEST(Expectations, SineOnBothSidesOfItsClosedForm) {
  for (const Real p : {0.5, 0.999999, 1.0, 1.000001, 3.0, 50.0, 1e12}) {
    const Expectations e = of("sin").at(p);
    const Real second = std::exp(-2 * p), fourth = std::exp(-8 * p);
    expect_right(e.square, (1 - second) / 2, 0, "square");
    expect_right(e.fourth, (3 - 4 * second + fourth) / 8, 1, "fourth");
    expect_right(e.slope_fourth, (3 + 4 * second + fourth) / 8, 0, "slope_fourth");
    expect_right(e.cross, second, 1, "cross");
    expect_right(e.mixed_square, (1 - fourth) / 8, 0, "mixed_square");
    const SlopeLaw law = of("sin").slopes(p);
    expect_right(law.weight.dot(law.square), e.slope_square, 0, "slopes");
    expect_right(law.weight.dot(law.square.cwiseAbs2()), e.slope_fourth, 0, "slopes squared");
  }
}

/// Another rule (80 points on each of ten pieces) for every activation and every member.
TEST(Expectations, EveryActivationAgainstAnotherRule) {
  const testing::Quadrature rule = testing::gauss_legendre(80);
  for (const ActivationKind& kind : activations()) {
    const Activation phi{kind.name};
    const GaussianIntegrals integrals{phi};
    for (const Real p : {0.3, 1.0, 4.0}) {
      const Real s = std::sqrt(p), k = 1 / s;
      const std::vector<double> cuts = {-12, -6, -3 * k, -k, 0, k, 3 * k, 6, 12};
      std::vector<double> sorted = cuts;
      std::sort(sorted.begin(), sorted.end());
      const auto mean = [&](auto&& f) {
        return testing::gaussian_mean(
            [&](double z) {
              const Activation::Values at = phi.both(Vector::Constant(1, s * z));
              return f(s * z, at.value(0), at.slope(0));
            },
            sorted, rule);
      };
      const Expectations e = integrals.at(p);
      const auto check = [&](Real computed, const char* what, auto&& f) {
        const Real size = mean([&](Real h, Real v, Real d) { return std::abs(f(h, v, d)); });
        expect_right(computed, mean(f), size, std::string(kind.name) + ", " + what);
      };
      check(e.mean, "mean", [](Real, Real v, Real) { return v; });
      check(e.square, "square", [](Real, Real v, Real) { return v * v; });
      check(e.fourth, "fourth", [](Real, Real v, Real) { return v * v * v * v; });
      check(e.slope_square, "slope_square", [](Real, Real, Real d) { return d * d; });
      check(e.slope_fourth, "slope_fourth", [](Real, Real, Real d) { return d * d * d * d; });
      check(e.curvature, "curvature", [p](Real h, Real, Real d) { return h * d / p; });
      check(e.cross, "cross", [p](Real h, Real v, Real d) { return h * v * d / p; });
      check(e.mixed_single, "mixed_single", [](Real, Real v, Real d) { return v * d * d; });
      check(e.mixed_square, "mixed_square", [](Real, Real v, Real d) { return v * v * d * d; });
      const SlopeLaw law = integrals.slopes(p);
      expect_right(law.weight.sum(), 1, 0, "weights");
      expect_right(law.weight.dot(law.square), e.slope_square, 0, "slopes");
      expect_right(law.weight.dot(law.square.cwiseAbs2()), e.slope_fourth, 0, "slopes squared");
    }
  }
}

TEST(Expectations, AtZeroVariance) {
  const Expectations e = of("sigmoid").at(0);
  EXPECT_EQ(e.mean, 0.5);
  EXPECT_EQ(e.square, 0.25);
  EXPECT_EQ(e.slope_square, 1.0 / 16);
  EXPECT_NEAR(e.cross, 1.0 / 16, 1e-12);
  EXPECT_NEAR(of("gelu").at(0).curvature, 2 / std::sqrt(2 * pi), 1e-12);
  EXPECT_EQ(of("relu").at(0).slope_square, 0);
  EXPECT_EQ(of("relu").at(0).curvature, std::numeric_limits<Real>::infinity());
  EXPECT_EQ(of("tanh").at(0).slope_square, 1);
  EXPECT_THROW(of("tanh").at(-1), UsageError);
  EXPECT_THROW(of("tanh").at(std::numeric_limits<Real>::quiet_NaN()), UsageError);
}

TEST(Expectations, OfTwoArguments) {
  for (const Real rho : {-0.7, 0.0, 0.3, 0.95, 0.9999, 1.0}) {
    for (const Real p : {0.5, 3.0})
      for (const Real q : {0.7, 12.0}) {
        // erf: (2/π) asin of the correlation of the arguments with added noise (Williams 1997).
        const Real c = rho * std::sqrt(p * q), r = 2 * c / std::sqrt((1 + 2 * p) * (1 + 2 * q));
        EXPECT_NEAR(of("erf").product(p, q, rho), 2 / pi * std::asin(r), 1e-11);
        EXPECT_NEAR(of("erf").slope_product(p, q, rho),
                    4 / pi / std::sqrt((1 + 2 * p) * (1 + 2 * q) - 4 * c * c), 1e-11);
        const Real joint = 1 / std::sqrt((1 + 4 * p) * (1 + 4 * q) - 16 * c * c),
                   apart = 1 / std::sqrt((1 + 4 * p) * (1 + 4 * q));
        EXPECT_NEAR(of("erf").slope_square_covariance(p, q, rho), 16 / (pi * pi) * (joint - apart), 1e-11);
      }
    EXPECT_NEAR(of("relu").slope_square_covariance(1, 3, rho), std::asin(rho) / (2 * pi), 1e-15);
    // Arc-cosine kernels (Cho & Saul 2009).
    const Real angle = std::acos(rho);
    EXPECT_NEAR(of("relu").product(1, 4, rho), 2 * (std::sin(angle) + (pi - angle) * rho) / (2 * pi), 1e-14);
    EXPECT_NEAR(of("relu").slope_product(1, 4, rho), (pi - angle) / (2 * pi), 1e-14);
    EXPECT_NEAR(of("sin").product(2, 3, rho), std::exp(-2.5) * std::sinh(rho * std::sqrt(6.0)), 1e-14);
  }
  // Perfect correlation reduces to one argument.
  for (const char* name : {"tanh", "gelu", "hard_tanh", "elu", "relu_squared", "sin"}) {
    const GaussianIntegrals phi = of(name);
    const Expectations e = phi.at(2);
    EXPECT_NEAR(phi.product(2, 2, 1), e.square, 1e-11 * e.square) << name;
    EXPECT_NEAR(phi.slope_product(2, 2, 1), e.slope_square, 1e-11) << name;
    EXPECT_NEAR(phi.slope_square_covariance(2, 2, 1), e.slope_fourth - e.slope_square * e.slope_square,
                1e-11 * e.slope_fourth)
        << name;
    EXPECT_NEAR(phi.product(2, 5, 0), e.mean * phi.at(5).mean, 1e-11) << name;
  }
}

}  // namespace
}  // namespace rezero::theory
