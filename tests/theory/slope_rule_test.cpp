#include "theory/slope_rule.h"

#include <gtest/gtest.h>

#include "theory/slopes.h"

namespace rezero {
namespace {

using testing::slope_law;
using namespace theory::detail;

/// ψ by the Gauss rule, against the sum over every point of the law. The error of N points for a pole at x
/// off the interval is about ρ^{−2N}, ρ that of the Bernstein ellipse through x.
TEST(SlopeRule, GaussRulesConvergeOffTheCut) {
  for (const char* activation : {"tanh", "erf", "gelu", "silu", "selu"})
    for (const Real p : {0.01, 1.0, 40.0})
      for (const Index points : {8, 24, 48}) {
        const SlopeRule all(slope_law(activation, p)),
            few = SlopeRule::gauss(slope_law(activation, p), points);
        EXPECT_NEAR(few.mean(), all.mean(), 1e-15);
        for (const Real size : {0.1, 0.9, 1.5, 10.0})
          for (const Real angle : {0.3, 0.7, 1.5, 3.0}) {
            const Complex y = std::polar(size / all.largest(), angle),
                          at = Real{2} / (y * all.largest()) - Real{1};
            const Complex root = std::sqrt(at * at - Real{1});
            const Real rho = std::max(std::abs(at + root), std::abs(at - root));
            const Real distance = std::abs((Real{1} / y).imag());
            const Real bound = 20 * std::pow(rho, -2 * static_cast<Real>(points)) * all.mean() / distance;
            EXPECT_LE(std::abs(all.at(y).psi - few.at(y).psi), bound + 1e-13 * std::abs(all.at(y).psi))
                << activation << " " << p << " " << size << " " << angle << " " << points;
          }
      }
}

TEST(SlopeRule, RealAndComplexAgree) {
  const SlopeRule rule(slope_law("tanh", 2));
  for (const Real y : {-50.0, -1.0, 0.3, 0.9}) {
    const auto real = rule.at(y);
    const auto complex = rule.at(Complex(y, 0));
    EXPECT_NEAR(complex.psi.real(), real.psi, 1e-14 * std::abs(real.psi));
    EXPECT_NEAR(complex.first.real(), real.first, 1e-14 * std::abs(real.first));
    const Real h = 1e-6;
    EXPECT_NEAR((rule.at(y + h).psi - rule.at(y - h).psi) / (2 * h), real.first, 1e-6 * real.first);
  }
}

TEST(SlopeRule, FewPointsAreKept) {
  const theory::SlopeLaw relu = slope_law("relu", 1);
  const SlopeRule rule = SlopeRule::gauss(relu, 24);
  EXPECT_EQ(rule.largest(), 1);
  EXPECT_EQ(rule.positive(), 0.5);
  EXPECT_NEAR(rule.at(0.5).psi, 0.5, 1e-15);
  EXPECT_NEAR(SlopeRule::spread(relu).at(0.5).psi, 0.5, 1e-15);
}

/// The mean stays, ψ moves little away from the scale of the points themselves, and atoms stay.
TEST(SlopeRule, SpreadPointsAreTheSameLaw) {
  const theory::SlopeLaw law = slope_law("erf", 8);
  const SlopeRule spread = SlopeRule::spread(law), all(law);
  EXPECT_NEAR(spread.at(1e-9).psi / all.at(1e-9).psi, 1, 1e-12);
  for (const Real y : {-1e-3, -1.0, -1e3, -1e12}) EXPECT_NEAR(spread.at(y).psi, all.at(y).psi, 0.02) << y;
}

TEST(SlopeRule, TailsOfUnboundedSlopesAreCut) {
  theory::SlopeLaw law;
  law.square = (Vector(3) << 100, 1, 0.5).finished();
  law.weight = (Vector(3) << 1e-12, 0.5, 0.5).finished();
  EXPECT_EQ(SlopeRule(law).largest(), 1);
  law.weight[0] = 1e-6;
  EXPECT_EQ(SlopeRule(law).largest(), 100);
}

}  // namespace
}  // namespace rezero
