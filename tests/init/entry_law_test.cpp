/// The stated moments of every initializer against those of a large draw.

#include "rezero/init/entry_law.h"

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
  const EntryLaw law = weight_law(init, context);
  const Moments found = moments(W);
  // 300 × 400 numbers: the sixth moment of normal ones has a relative deviation of √(10170/120000)/15 = 0.02.
  EXPECT_NEAR(found.rms / law.std, 1, law.fixed_square() ? 1e-12 : 0.012) << init.canonical();
  if (law.fixed_square()) return;
  EXPECT_NEAR(found.fourth / law.fourth, 1, 0.03) << init.canonical();
  EXPECT_NEAR(found.sixth / law.sixth, 1, 0.1) << init.canonical();
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
    EXPECT_NEAR(found.rms / bias_law(init, context).std, 1, 0.012) << text;
  }
  EXPECT_EQ(bias_law(Initializer("he"), context).std, 0);
  EXPECT_EQ(bias_law(Initializer("gaussian"), context).std, 0);
}

}  // namespace
}  // namespace rezero
