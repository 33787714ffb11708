#include "rezero/layers/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "core/underflow.h"
#include "rezero/core/error.h"
#include "support/gauss_legendre.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

Real value(const std::string& name, Real x) {
  return Activation(name).value(Vector::Constant(1, x))(0);
}
Real slope(const std::string& name, Real x) {
  return Activation(name).derivative(Vector::Constant(1, x))(0);
}

/// Numbers printed in the reference sheet (torch 1.13 and 30-digit arithmetic), to the digits printed.
TEST(ReferenceActivation, ValuesAndDerivativesAtOne) {
  EXPECT_NEAR(value("gelu", 1), 0.841344746069, 1e-12);
  EXPECT_NEAR(slope("gelu", 1), 1.083315470588, 1e-12);
  EXPECT_NEAR(value("gelu_tanh", 1), 0.841191990608, 1e-12);
  EXPECT_NEAR(slope("gelu_tanh", 1), 1.082964083846, 1e-12);
  EXPECT_NEAR(slope("silu", 1), 0.927670511872, 1e-12);
  EXPECT_EQ(slope("selu", 0), 1.7580993408473766);
  EXPECT_EQ(value("selu", 1), 1.0507009873554805);
}

/// Closed forms of elementary functions, in long double.
TEST(ReferenceActivation, ElementaryFunctions) {
  for (Real x : {-6.5, -2.0, -1.0, -0.3, -1e-3, 1e-3, 0.4, 1.0, 2.5, 7.0}) {
    const long double z = x, e = std::exp(-z), s = 1 / (1 + e);
    const auto near = [x](Real got, long double wanted, const char* what) {
      EXPECT_NEAR(got, static_cast<Real>(wanted), 4e-16 * (1 + std::abs(x))) << what << " at " << x;
    };
    near(value("sigmoid", x), s, "sigmoid");
    near(slope("sigmoid", x), s * (1 - s), "sigmoid'");
    near(value("silu", x), z * s, "silu");
    near(slope("silu", x), s * (1 + z * (1 - s)), "silu'");
    near(value("softplus", x), std::log1p(std::exp(z)), "softplus");
    near(value("tanh", x), std::tanh(z), "tanh");
    near(slope("tanh", x), 1 / (std::cosh(z) * std::cosh(z)), "tanh'");
    near(value("sin", x), std::sin(z), "sin");
    near(slope("sin", x), std::cos(z), "sin'");
    near(value("erf", x), std::erf(z), "erf");
    near(slope("scaled_erf", x), std::exp(-std::acos(-1.0L) * z * z / 4), "scaled_erf'");
    near(value("elu:a=0.5", x), z > 0 ? z : std::expm1(z) / 2, "elu");
    near(slope("elu:a=0.5", x), z > 0 ? 1 : std::exp(z) / 2, "elu'");
    near(value("relu_squared", x), z > 0 ? z * z : 0, "relu_squared");
    near(slope("relu_squared", x), z > 0 ? 2 * z : 0, "relu_squared'");
  }
}

TEST(Activation, ConventionsAtKinks) {
  EXPECT_EQ(slope("relu", 0), 0);
  EXPECT_EQ(slope("leaky_relu", 0), 0.01);
  EXPECT_EQ(slope("leaky_relu:slope=0.25", 0), 0.25);
  EXPECT_EQ(slope("relu_squared", 0), 0);
  EXPECT_EQ(slope("abs", 0), 0);
  EXPECT_EQ(slope("hard_tanh", 1), 0);
  EXPECT_EQ(slope("hard_tanh", -1), 0);
  EXPECT_EQ(slope("elu", 0), 1);
  EXPECT_EQ(slope("elu:a=2", 0), 2);
  EXPECT_EQ(slope("gelu", 0), 0.5);
  EXPECT_EQ(slope("gelu_tanh", 0), 0.5);
  EXPECT_EQ(slope("scaled_erf", 0), 1);
  for (Real x : {0.0, -0.0})
    for (const ActivationKind& kind : activations())
      EXPECT_EQ(slope(std::string(kind.name), x), slope(std::string(kind.name), 0));
}

TEST(Activation, NamesAliasesAndParameters) {
  EXPECT_EQ(Activation("hardtanh").canonical(), "hard_tanh");
  EXPECT_EQ(Activation("swish").canonical(), "silu");
  EXPECT_EQ(Activation("leaky:slope=0.2").canonical(), "leaky_relu:slope=0.2");
  EXPECT_EQ(Activation("leaky_relu:slope=0.01").canonical(), "leaky_relu");
  EXPECT_TRUE(Activation("linear").is_identity());
  EXPECT_THROW(Activation("rleu"), UsageError);
  EXPECT_THROW(Activation("relu:slope=1"), UsageError);
  EXPECT_EQ(Activation("leaky_relu:slope=1").gain(), 1);
  EXPECT_EQ(Activation("tanh").gain(), 5.0 / 3);
}

struct Moments {
  Real mean, square, slope, slope_square, slope_fourth;
};

/// Gaussian moments as the reference sheet prints them (quadrature to 30 digits, 12 printed). Eighty nodes on
/// each smooth piece of [−10, 10]; what lies outside weighs less than 1e-21.
TEST(ReferenceActivation, GaussianMoments) {
  const std::map<std::string, Moments> table = {
      {"identity", {0, 1, 1, 1, 1}},
      {"relu", {0.398942280401, 0.5, 0.5, 0.5, 0.5}},
      {"leaky_relu", {0.394952857597, 0.50005, 0.505, 0.50005, 0.500000005}},
      {"relu_squared", {0.5, 1.5, 0.797884560803, 2, 24}},
      {"abs", {0.797884560803, 1, 0, 1, 1}},
      {"tanh", {0, 0.394294490398, 0.605705509602, 0.464402902448, 0.341509207317}},
      {"hard_tanh", {0, 0.516058550962, 0.682689492137, 0.682689492137, 0.682689492137}},
      {"erf", {0, 0.464559054398, 0.651470015871, 0.569410034734, 0.540379646092}},
      {"scaled_erf", {0, 0.418477381712, 0.623686242953, 0.491378679844, 0.370543602965}},
      {"gelu", {0.282094791774, 0.42522148257, 0.5, 0.455850865649, 0.433955838856}},
      {"gelu_tanh", {0.282038588079, 0.425193711033, 0.5, 0.455817845963, 0.433901338125}},
      {"silu", {0.206620964142, 0.355775519817, 0.5, 0.379482351633, 0.28658057688}},
      {"softplus", {0.806059183347, 0.921245908859, 0.5, 0.293379035858, 0.131594313066}},
      {"elu", {0.160520572267, 0.644945417493, 0.761578291865, 0.668102001223, 0.594410641302}},
      {"selu", {0, 1, 0.985231116186, 1.07157499246, 1.51135290239}},
      {"sin", {0, 0.432332358382, 0.606530659713, 0.567667641618, 0.442709574447}},
      {"sigmoid", {0.5, 0.293379035858, 0.206620964142, 0.0448362413502, 0.00228565128668}}};
  const testing::Quadrature rule = testing::gauss_legendre(80);
  EXPECT_EQ(table.size(), activations().size());
  for (const auto& [name, wanted] : table) {
    const Activation phi(name);
    const std::vector<double> cuts =
        name == "hard_tanh" ? std::vector<double>{-10, -1, 0, 1, 10} : std::vector<double>{-10, 0, 10};
    const auto mean = [&](int power, bool of_slope) {
      const auto f = [&](double z) {
        const Vector at = Vector::Constant(1, z);
        return std::pow(of_slope ? phi.derivative(at)(0) : phi.value(at)(0), power);
      };
      return testing::gaussian_mean(f, cuts, rule);
    };
    EXPECT_NEAR(mean(1, false), wanted.mean, 1e-10) << name;
    EXPECT_NEAR(mean(2, false), wanted.square, 1e-10) << name;
    EXPECT_NEAR(mean(1, true), wanted.slope, 1e-10) << name;
    EXPECT_NEAR(mean(2, true), wanted.slope_square, 1e-10) << name;
    EXPECT_NEAR(mean(4, true), wanted.slope_fourth, 1e-10) << name;
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = {"leaky_relu:slope=0.3", "elu:a=0.6"};
  for (const ActivationKind& kind : activations()) names.emplace_back(kind.name);
  return names;
}

TEST(LawActivation, ExtremeArgumentsStayFinite) {
  for (const std::string& name : all_names())
    for (Real size : {1e308, 1e200, 1e154, 1e103, 800.0, 40.0, 1e-160, 1e-308, 5e-324, 0.0})
      for (Real x : {size, -size}) {
        if (name != "relu_squared" || x < 1e155) {
          EXPECT_TRUE(std::isfinite(value(name, x))) << name << " at " << x;
        }
        if (name != "relu_squared" || x < 8e307) {
          EXPECT_TRUE(std::isfinite(slope(name, x))) << name << "' at " << x;
        }
      }
}

TEST(LawActivation, WhatIsNotANumberShows) {
  const Real nan = std::nan("");
  for (const std::string& name : all_names()) {
    EXPECT_TRUE(std::isnan(value(name, nan))) << name;
    if (name != "identity") {
      EXPECT_TRUE(std::isnan(slope(name, nan))) << name;
    }
  }
}

TEST(LawActivation, Symmetries) {
  for (Real x : {1e-300, 1e-5, 0.3, 1.0, 2.7, 30.0, 1e10}) {
    for (const char* odd : {"identity", "tanh", "erf", "scaled_erf", "sin", "hard_tanh"}) {
      EXPECT_EQ(value(odd, -x), -value(odd, x)) << odd;
      EXPECT_EQ(slope(odd, -x), slope(odd, x)) << odd;
    }
    EXPECT_EQ(value("abs", -x), value("abs", x));
    EXPECT_EQ(slope("abs", -x), -slope("abs", x));
    for (const char* gate : {"silu", "gelu", "gelu_tanh", "softplus", "relu"}) {  // φ(x) − φ(−x) = x
      EXPECT_NEAR(value(gate, x) - value(gate, -x), x, 4e-16 * x + 4e-16) << gate;
      EXPECT_NEAR(slope(gate, x) + slope(gate, -x), 1, 4e-16) << gate;
    }
  }
}

TEST(Activation, LargeArguments) {
  EXPECT_EQ(value("softplus", 800), 800);
  EXPECT_EQ(value("softplus", -800), 0);
  EXPECT_EQ(value("softplus", 1e308), 1e308);
  EXPECT_EQ(value("tanh", 800), 1);
  EXPECT_EQ(slope("tanh", 1e308), 0);
  EXPECT_EQ(value("gelu", 1e308), 1e308);
  EXPECT_EQ(value("gelu", -1e308), 0);
  EXPECT_EQ(slope("gelu", 1e308), 1);
  EXPECT_EQ(slope("gelu", -1e308), 0);
  EXPECT_EQ(value("gelu_tanh", -1e308), 0);
  EXPECT_EQ(slope("gelu_tanh", 1e308), 1);
  EXPECT_EQ(slope("silu", -1e308), 0);
  EXPECT_EQ(slope("silu", 1e308), 1);
  EXPECT_EQ(value("selu", -1e308), -1.0507009873554805 * 1.6732632423543772);
}

/// Saturated slopes keep their relative accuracy: their products are the small singular values. The error of
/// exp(−2|x|) is |x| eps relative, plus a few eps.
TEST(LawActivation, TailsKeepRelativeAccuracy) {
  for (Real x : {5.0, 9.5, 15.0, 17.0, 19.0, 40.0, 300.0})
    for (Real z : {x, -x}) {
      const long double e = std::exp(-static_cast<long double>(x)), cosh = (1 / e + e) / 2;
      const auto close = [&](const char* name, Real got, long double wanted) {
        EXPECT_NEAR(static_cast<Real>(got / wanted), 1, (8 + 4 * x) * testing::eps) << name << " at " << z;
      };
      close("tanh'", slope("tanh", z), 1 / (cosh * cosh));
      close("sigmoid'", slope("sigmoid", z), e / ((1 + e) * (1 + e)));
      if (z < 0) {
        close("softplus", value("softplus", z), std::log1p(e));
        close("silu", value("silu", z), z * (e / (1 + e)));
        close("elu'", slope("elu", z), e);
      }
    }
}

/// φ′ by central differences of φ on a grid; the layer laws test a single point.
TEST(LawActivation, DerivativesOnAGrid) {
  for (const std::string& name : all_names()) {
    SCOPED_TRACE(name);
    const Vector x = Vector::LinSpaced(101, -5.03, 5.01);  // no kink is on the grid
    const ActivationLayer layer(Activation(name), {x.size(), 1});
    testing::expect_derivative_law(layer, x);
  }
}

/// A zero result of φ or φ′ that is not an exact zero is an underflow, whatever the argument.
TEST(Activation, ZerosThatAreNoneCountAsUnderflow) {
  const auto loses = [](const Activation& phi, Real x, bool slope) {
    const Vector at = Vector::Constant(1, x);
    const detail::UnderflowWatch watch;
    const Vector got = slope ? phi.derivative(at) : phi.value(at);
    const bool lost = watch.underflowed();
    EXPECT_TRUE(got.allFinite() || std::abs(x) > 1e154) << phi.canonical() << x;
    return got(0) == 0 && !lost;  // a zero, and nothing said
  };
  const std::map<std::string, bool> zeros_are_true = {
      {"relu", true}, {"hard_tanh", true}, {"relu_squared", true}, {"abs", true}};
  for (const ActivationKind& kind : activations())
    for (Real x : {1.0, 40.0, 800.0, 1e110, 1e160, 1e308})
      for (Real sign : {-1.0, 1.0})
        for (bool slope : {false, true})
          if (!zeros_are_true.count(std::string(kind.name))) {
            EXPECT_FALSE(loses(Activation(kind.name), sign * x, slope)) << kind.name << sign * x << slope;
          }
  EXPECT_TRUE(loses(Activation("relu"), -3, true));
  EXPECT_TRUE(loses(Activation("hard_tanh"), 1e308, true));
  EXPECT_TRUE(loses(Activation("elu:a=0"), -3, true)) << "a flat side";
  EXPECT_TRUE(loses(Activation("leaky_relu:slope=0"), -3, true));
  EXPECT_TRUE(loses(Activation("tanh"), 0, false)) << "0 at 0";
}

}  // namespace
}  // namespace rezero
