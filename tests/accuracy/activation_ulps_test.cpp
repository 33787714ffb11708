/// Values and slopes of all activations against extended precision, in ulps, over the whole range of double;
/// and their bits, which depend on nothing but the argument.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "accuracy/reference.h"
#include "accuracy/splitmix.h"
#include "support/kernel_levels.h"

namespace rezero::reference {
namespace {

using Limits = std::numeric_limits<double>;

/// Numbers of every magnitude, subnormal ones and zeros included; many where functions bend and where tails
/// underflow; neighbours of the points where formulas change.
Vector arguments() {
  std::vector<double> all = {0.0, Limits::denorm_min(), Limits::min(), Limits::max(), 0x1p-1030};
  SplitMix draws(7, 0);
  const auto uniform = [&draws](double low, double high) {
    return low + (high - low) * (draws.symmetric() + 1) / 2;
  };
  for (int i = 0; i < 400; ++i)
    all.push_back(std::ldexp(uniform(1, 2), static_cast<int>(uniform(-1074, 1024))));
  for (const double high : {1e-3, 0.5, 1.0, 1.5, 3.0, 6.0, 12.0, 40.0, 800.0})
    for (int i = 0; i < 250; ++i) all.push_back(uniform(0, high));
  for (const double at : {0.5, 1.0, 1.1283791670955126, 1.4142135623730951, 25.0, 30.0, 38.5, 40.0, 354.0,
                          372.0, 708.4, 745.2, 800.0})
    for (const double from : {at, std::nextafter(at, 0), std::nextafter(at, 1e9)}) all.push_back(from);
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
}

/// |got − exact| in units of the last place of the larger of exact and `least`.
double ulps(double got, const Number& exact, double least) {
  const double size = std::max({std::abs(mpfr_get_d(exact.raw(), MPFR_RNDN)), least, Limits::min()});
  if (std::isinf(size)) return std::isinf(got) ? 0 : Limits::infinity();
  const Number error = abs(Number(got) - exact);
  return std::ldexp(mpfr_get_d(error.raw(), MPFR_RNDN), 52 - std::ilogb(size));
}

struct Bound {
  double value, slope;  ///< in ulps
  /// slopes that change sign near −1 are known there in ulps of this number
  double crossing = 0;
};

/// A little above the worst of 260,000 arguments; the test takes a sample.
const std::map<std::string, Bound>& bounds() {
  static const std::map<std::string, Bound> all = {
      {"tanh", {1.6, 3.6}},       {"erf", {1.3, 1.5}},      {"scaled_erf", {1.2, 1.1}},
      {"sigmoid", {2.2, 3.8}},    {"gelu", {5, 3.5, 0.25}}, {"gelu_tanh", {3, 6.5, 0.25}},
      {"silu", {3, 5.5, 0.25}},   {"softplus", {2.5, 2.3}}, {"elu", {1.1, 1.1}},
      {"elu:a=0.6", {1.6, 1.6}},  {"selu", {2.2, 2.2}},     {"sin", {1, 1}},
      {"relu", {0, 0}},           {"leaky_relu", {0.5, 0}}, {"hard_tanh", {0, 0}},
      {"relu_squared", {0.5, 0}}, {"abs", {0, 0}},          {"identity", {0, 0}}};
  return all;
}

TEST(ActivationUlps, WholeRange) {
  const Precision precision(300);
  const Vector x = arguments();
  for (const auto& [name, bound] : bounds()) {
    const Activation phi(name);
    const Activation::Values got = phi.both(x);
    double value_worst = 0, slope_worst = 0, value_at = 0, slope_at = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const Dual exact = activated(phi, Dual{Number(x[i]), {Number(1)}});
      const double crossing = std::abs(x[i]) < 2 ? bound.crossing : 0;
      const double value = ulps(got.value[i], exact.value, 0),
                   slope = ulps(got.slope[i], exact.slopes[0], crossing);
      if (!(value <= value_worst)) value_worst = value, value_at = x[i];
      if (!(slope <= slope_worst)) slope_worst = slope, slope_at = x[i];
    }
    EXPECT_LE(value_worst, bound.value) << name << " at " << value_at;
    EXPECT_LE(slope_worst, bound.slope) << name << "' at " << slope_at;
  }
}

/// Every kind is in the table above.
TEST(ActivationUlps, OfEveryKind) {
  for (const ActivationKind& kind : activations())
    EXPECT_EQ(bounds().count(std::string(kind.name)), 1u) << kind.name;
}

void expect_same_bits(const Vector& a, const Vector& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i)
    EXPECT_TRUE(std::memcmp(&a[i], &b[i], sizeof(double)) == 0)
        << what << " " << i << ": " << a[i] << " " << b[i];
}

/// The same bits alone, in every position of a vector and of a shorter vector, and at every level of kernels.
TEST(ActivationUlps, BitsDependOnTheArgumentOnly) {
  const Vector x = arguments();
  for (const auto& [name, bound] : bounds()) {
    const Activation phi(name);
    const Activation::Values all = phi.both(x);
    testing::for_each_kernel_level([&, name = name] {
      const Activation::Values here = phi.both(x);
      expect_same_bits(here.value, all.value, name);
      expect_same_bits(here.slope, all.slope, name + "'");
    });
    for (Index start = 0; start < 40; ++start)
      for (Index count = 0; count < 20; ++count) {
        const Activation::Values part = phi.both(x.segment(start * 37, count));
        expect_same_bits(part.value, all.value.segment(start * 37, count), name);
        expect_same_bits(part.slope, all.slope.segment(start * 37, count), name + "'");
        expect_same_bits(phi.value(x.segment(start * 37, count)), part.value, name);
        expect_same_bits(phi.derivative(x.segment(start * 37, count)), part.slope, name + "'");
      }
  }
}

/// Odd functions are odd to the last bit, of zeros too; what is not finite shows.
TEST(ActivationUlps, SignsAndInfinities) {
  const Vector x = arguments();
  for (const char* odd : {"tanh", "erf", "scaled_erf", "sin", "hard_tanh", "identity"}) {
    const Activation phi{std::string_view(odd)};
    expect_same_bits(phi.value(-x), -phi.value(x), odd);
    EXPECT_TRUE(std::signbit(phi.value(Vector::Constant(1, -0.0))[0])) << odd;
    EXPECT_FALSE(std::signbit(phi.value(Vector::Constant(1, 0.0))[0])) << odd;
  }
  for (const ActivationKind& kind : activations())
    for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
      for (Index place = 0; place < 11; ++place) {
        Vector some = Vector::Constant(11, 0.5);
        some[place] = bad;
        const Activation::Values got = Activation(kind.name).both(some);
        for (Index i = 0; i < 11; ++i) {
          EXPECT_EQ(std::isnan(got.value[i]), i == place) << kind.name;
          EXPECT_EQ(std::isnan(got.slope[i]), i == place) << kind.name;
        }
      }
}

}  // namespace
}  // namespace rezero::reference
