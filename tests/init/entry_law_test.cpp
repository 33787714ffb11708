/// The stated moments of every initializer against those of a large draw.

#include "rezero/init/initializer.h"

#include <gtest/gtest.h>

namespace rezero {
namespace {

struct Moments {
  Real rms, fourth, sixth;
};

template <class Numbers>
Moments moments(const Numbers& w) {
  const Real second = w.array().square().mean();
  return {std::sqrt(second), w.array().pow(4).mean() / std::pow(second, 2),
          w.array().pow(6).mean() / std::pow(second, 3)};
}

void expect_law(const Initializer& init, const WeightContext& context) {
  const Matrix W = init.weight(context, stream_key(1, StreamRole::weight));
  const EntryLaw law = init.weight_law(context);
  const Moments found = moments(W);
  const bool fixed = law.shape() == EntryShape::fixed_square;
  // 300 × 400 numbers: the sixth moment of normal ones has a relative deviation of √(10170/120000)/15 = 0.02.
  EXPECT_NEAR(found.rms / law.std(), 1, fixed ? 1e-12 : 0.012) << init.canonical();
  if (fixed) return;
  EXPECT_NEAR(found.fourth / law.fourth(), 1, 0.03) << init.canonical();
  EXPECT_NEAR(found.sixth / law.sixth(), 1, 0.1) << init.canonical();
  EXPECT_LE(W.cwiseAbs().maxCoeff(), law.largest()) << init.canonical();
}

TEST(EntryLaw, IsThatOfTheDraws) {
  for (const InitializerKind& kind : initializers())
    for (const WeightPlace place :
         {WeightPlace::feed_forward, WeightPlace::attention_input, WeightPlace::attention_output})
      expect_law(Initializer(kind.name), {300, 400, std::sqrt(Real{2}), place, 1});
}

TEST(EntryLaw, FollowsTheParameters) {
  for (const std::string text :
       {"he:law=uniform", "he:mode=fan_out", "he:gain=auto", "xavier-uniform:gain=0.3", "lecun-uniform",
        "normal:std=0.5", "trunc-normal:std=1", "trunc-normal:std=2", "trunc-normal:std=30",
        "gaussian:sigma_w=1.7"})
    expect_law(Initializer(text), {300, 400, Real{0.8}, WeightPlace::feed_forward, 1});
  for (const std::string text : {"he", "he:mode=fan_out", "delta-orthogonal", "orthogonal:gain=2"})
    expect_law(Initializer(text), {60, 40, 1, WeightPlace::feed_forward, 9});
}

TEST(EntryLaw, BiasesToo) {
  const WeightContext context{100000, 10, 1, WeightPlace::feed_forward, 1};
  for (const std::string text : {"torch-default", "gaussian:sigma_b=0.3", "rezero-notebook"}) {
    const Initializer init(text);
    const Moments found = moments(init.bias(context, stream_key(1, StreamRole::bias)));
    EXPECT_NEAR(found.rms / init.bias_law(context).std(), 1, 0.012) << text;
  }
  for (const std::string text : {"he", "gaussian"}) {
    EXPECT_TRUE(Initializer(text).bias_law(context).is_zero());
    EXPECT_TRUE(Initializer(text).bias(context, stream_key(1, StreamRole::bias)).isZero(0));
  }
}

/// Moments of a standard normal number within ±c, to ten digits, by integration.
TEST(EntryLaw, TruncatedMomentsAreThoseOfTheIntegral) {
  for (const Real c : {0.01, 0.0999, 0.1001, 0.5, 1.0, 2.0, 3.0}) {
    constexpr int steps = 20000;  // Simpson's rule: the error is of order (c/steps)⁴
    Real total = 0, second = 0, fourth = 0, sixth = 0;
    for (int i = 0; i <= steps; ++i) {
      const Real z = c * i / steps, w = std::exp(-z * z / 2) * (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);
      total += w, second += w * z * z, fourth += w * std::pow(z, 4), sixth += w * std::pow(z, 6);
    }
    second /= total, fourth /= total, sixth /= total;
    const EntryLaw law = EntryLaw::truncated_normal(2, 2 * c);
    EXPECT_NEAR(law.std() / (2 * std::sqrt(second)), 1, 1e-8) << c;
    EXPECT_NEAR(law.fourth() / (fourth / (second * second)), 1, 1e-7) << c;
    EXPECT_NEAR(law.sixth() / (sixth / std::pow(second, 3)), 1, 1e-7) << c;
  }
  EXPECT_EQ(EntryLaw::truncated_normal(Real{0.02}, 2).fourth(), 3);
  EXPECT_EQ(EntryLaw::truncated_normal(5e-324, 2).std(), 5e-324);
}

TEST(EntryLaw, AGainScalesIt) {
  const EntryLaw law = EntryLaw::truncated_normal(1, 2).times(-3);
  EXPECT_EQ(law.largest(), 6);
  EXPECT_NEAR(law.std(), 3 * EntryLaw::truncated_normal(1, 2).std(), 1e-15);
  EXPECT_TRUE(law.times(0).is_zero());
  EXPECT_EQ(law.times(0).std(), 0);
}

}  // namespace
}  // namespace rezero
