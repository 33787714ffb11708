/// Laws of random products: whatever the numbers, a law of mass 1 or a NumericalError.

#include <gtest/gtest.h>

#include <string>

#include "rezero/core/error.h"
#include "rezero/random/sample.h"
#include "theory/networks.h"
#include "theory/slopes.h"

namespace rezero {
namespace {

using namespace theory;

const char* const activations_tried[] = {
    "relu", "tanh", "erf", "gelu", "hard-tanh", "leaky-relu:slope=0.1", "silu", "softplus", "selu"};

/// One block after another from addressed uniform numbers.
class Dice {
 public:
  explicit Dice(std::uint32_t id) : numbers_(4000) {
    fill_uniform(numbers_.data(), numbers_.size(), {0xd1ce, 0, id});
  }
  Real between(Real low, Real high) { return low + (high - low) * (numbers_[next_++] + 1) / 2; }
  int below(int count) { return std::min(count - 1, static_cast<int>(between(0, count))); }
  Real scale(Real low, Real high) { return std::exp(between(std::log(low), std::log(high))); }

 private:
  Vector numbers_;
  Index next_ = 0;
};

TransformRun random_run(Dice& dice, bool plain, Index most) {
  TransformRun run;
  BlockTransform& block = run.block;
  block.form = static_cast<BranchForm>(dice.below(4));
  block.ensemble = dice.below(3) == 0 ? Ensemble::haar : Ensemble::independent;
  block.plain = plain;
  const Real alpha = plain ? dice.scale(0.5, 2) : dice.scale(1e-6, 10);
  block.strength = alpha * alpha;
  if (block.form == BranchForm::mlp) block.gamma = dice.scale(0.125, 8);
  if (block.form != BranchForm::linear)
    block.slopes = testing::slope_law(activations_tried[dice.below(9)],
                                      plain ? dice.scale(0.01, 2) : dice.scale(0.01, 100), 40);
  if (dice.below(5) == 0) block.log_divisor = dice.between(-1, 1);
  run.count = static_cast<Index>(dice.scale(1, static_cast<Real>(most)));
  return run;
}

/// Finite, monotone, from 0 to 1.
void expect_law(const SpectralLaw& law) {
  EXPECT_NEAR(law.mass, 1, 1e-2);
  ASSERT_TRUE(law.log_square.allFinite() && law.density.allFinite() && law.above.allFinite());
  EXPECT_TRUE(law.density.size() == 0 || law.density.minCoeff() >= 0);
  const Real top = law.upper.log_square, bottom = law.quantile(0.001 + law.atom_at_zero * 0.999);
  Real before = 1;
  for (int k = 0; k <= 300; ++k) {
    const Real at = law.cumulative(top + 0.1 - (top - bottom + 0.2) * k / 300);
    EXPECT_LE(at, before + 1e-14);
    EXPECT_GE(at, law.atom_at_zero);
    before = at;
  }
  EXPECT_EQ(law.cumulative(std::numeric_limits<Real>::infinity()), 1);
  EXPECT_NEAR(law.cumulative(std::nextafter(top, top + 1) + 0.1), 1, 1e-3);
}

/// Every 8th product has a plain layer. A few may fail: one orthogonal block with lines of its own, next to
/// blocks so small that they hardly blur them.
TEST(LawSpectralRobustness, RandomProducts) {
  int failed = 0;
  constexpr int tries = 250;
  for (int i = 0; i < tries; ++i) {
    Dice dice(static_cast<std::uint32_t>(i));
    const int kinds = 1 + dice.below(i % 2 == 0 ? 1 : 5);
    std::vector<TransformRun> blocks;
    for (int k = 0; k < kinds; ++k) blocks.push_back(random_run(dice, i % 8 == 0 && k == 0, 500 / kinds));
    SCOPED_TRACE(i);
    try {
      expect_law(march(blocks));
    } catch (const NumericalError& error) {
      ++failed;
      EXPECT_EQ(std::string(error.what()).find("nan"), std::string::npos);
    }
  }
  EXPECT_LE(failed, tries / 50);
}

}  // namespace
}  // namespace rezero
