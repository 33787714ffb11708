/// Laws of large numbers: means over seeds against exact expectations (reference sheet 3.1, 3.2, 3.5, 7.3).
/// Seeds are fixed; deviations are measured in standard errors of the mean, estimated from the same samples.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/stacks.h"

namespace rezero {
namespace {

using testing::StackText;

struct Estimate {
  Real mean = 0, error = 0;
  Real distance(Real truth) const { return std::abs(mean - truth) / error; }
};

template <class Sample>
Estimate estimate(int count, const Sample& sample) {
  Real sum = 0, squares = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const Real value = sample(static_cast<std::uint64_t>(seed));
    sum += value, squares += value * value;
  }
  const Real mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / (count - 1))};
}

void print(const std::string& what, const Estimate& got, Real truth) {
  std::printf("  %-44s %10.6f +- %.6f   formula %10.6f   (%.2f standard errors)\n", what.c_str(), got.mean,
              got.error, truth, got.distance(truth));
}

/// ‖J V‖_F² / columns.
Real mean_square(const Stack& stack, const Matrix& tangents) {
  const ScaledMatrix J = testing::steps(stack, tangents, {stack.blocks()}).back().jacobian;
  return testing::plain(J).squaredNorm() / static_cast<Real>(tangents.cols());
}
Real mean_square(const Stack& stack) {
  return mean_square(stack, Matrix::Identity(stack.shape().size(), stack.shape().size()));
}

/// alpha = 1/√L on an mlp of gain 2 gives (1 + 2/L)^L at any width.
TEST(SlowMoments, DepthPowerMlpAtWidth128) {
  const Estimate got = estimate(64, [](std::uint64_t seed) {
    return mean_square(*testing::stack({"depth-power", "mlp", 128, "relu", "he"}, seed, 64));
  });
  const Real truth = std::pow(1 + 2.0 / 64, 64);
  print("mean square, depth-power, L = 64, 64 seeds", got, truth);
  EXPECT_LE(got.distance(truth), 3);
  EXPECT_LE(got.error, truth / 10) << "the estimate says something";
}

struct Gain {
  const char* init;
  Real ratio, gain;
};

/// g = d h v1 v2 / 2, exact at any width for relu and symmetric weights: a plain block has m1 = g, a residual
/// one 1 + a² g. Fourteen comparisons, so four standard errors (6e-5 each).
TEST(SlowMoments, GainsOfInitializers) {
  const Gain table[] = {{"he", 1, 2},
                        {"he", 4, 2},
                        {"he:law=uniform", 4, 2},
                        {"lecun", 4, 0.5},
                        {"xavier", 4, 0.32},
                        {"torch-default", 4, 1.0 / 18},
                        {"orthogonal", 4, 0.125}};
  for (const Gain& row : table) {
    const auto sample = [&row](const char* scheme) {
      return [&row, scheme](std::uint64_t seed) {
        return mean_square(*testing::stack({scheme, "mlp", 24, "relu", row.init, row.ratio}, seed, 1));
      };
    };
    const Estimate plain = estimate(400, sample("plain")),
                   residual = estimate(400, sample("fixed:alpha=0.5"));
    print(std::string("plain block, ") + row.init + ", ratio " + shortest(row.ratio), plain, row.gain);
    print(std::string("alpha = 1/2, ") + row.init + ", ratio " + shortest(row.ratio), residual,
          1 + row.gain / 4);
    EXPECT_LE(plain.distance(row.gain), 4) << row.init;
    EXPECT_LE(residual.distance(1 + row.gain / 4), 4) << row.init;
  }
}

/// E ‖(I + a D W) v‖² = ‖v‖² (1 + a² σ²/2) + 2 a (1·v)(v·x̂) σ / √(2πd), here with v = x̂ = 1/√d and σ² = 2.
TEST(SlowMoments, OneToyBlock) {
  const Index d = 16;
  const Real a = 1, sigma = std::sqrt(2.0), pi = std::acos(-1.0);
  StackSpec spec = testing::stack_spec({"fixed:alpha=1", "dense", d, "relu", "he"});
  spec.input.law = InputLaw::ones;
  const Vector v = Vector::Constant(d, 1 / std::sqrt(static_cast<Real>(d)));
  const Estimate got =
      estimate(6000, [&](std::uint64_t seed) { return mean_square(*build_stack(spec, seed, 1), v); });
  const Real truth = 1 + a * a * sigma * sigma / 2 + 2 * a * sigma / std::sqrt(2 * pi);
  print("one dense relu block along the ones", got, truth);
  EXPECT_LE(got.distance(truth), 4);
}

/// Tied Gaussian linear blocks: m1 = Σ C(T,k)² a^2k for large d (2.239 at T = 16, a = 1/16). Next order in
/// 1/d: ⟨W^k, W^(k+2)⟩ / d = (k + 1)/d by the pairings of Wick's theorem, twice in the sum over (k, l).
TEST(SlowMoments, TiedLinearBlocks) {
  const int T = 16;
  const Real a = 1.0 / 16;
  const Index d = 64;
  std::vector<Real> binomial(T + 3, 0);
  for (int k = 0; k <= T; ++k)
    binomial[static_cast<std::size_t>(k)] = std::tgamma(T + 1) / std::tgamma(k + 1) / std::tgamma(T - k + 1);
  Real limit = 0, correction = 0;
  for (std::size_t k = 0; k <= T; ++k) {
    const Real power = std::pow(a, 2 * static_cast<Real>(k));
    limit += binomial[k] * binomial[k] * power;
    correction +=
        2 * binomial[k] * binomial[k + 2] * power * a * a * static_cast<Real>(k + 1) / static_cast<Real>(d);
  }
  EXPECT_NEAR(limit, 2.239, 5e-4);
  StackSpec spec = testing::stack_spec({"fixed:alpha=0.0625", "linear", d, "identity", "gaussian"});
  const auto sample = [&spec](std::uint64_t seed) { return mean_square(*build_stack(spec, seed, T)); };
  const Estimate untied = estimate(200, sample);
  spec.tied = true;
  const Estimate tied = estimate(200, sample);
  print("tied linear blocks, T = 16, a = 1/16", tied, limit + correction);
  print("the same untied", untied, std::pow(1 + a * a, T));
  EXPECT_LE(tied.distance(limit + correction), 3);
  EXPECT_LE(untied.distance(std::pow(1 + a * a, T)), 3);
}

/// schemes.md 8.2: the authors' notebook at alpha = 0.1, against an independent torch run (mean, standard
/// error).
TEST(SlowMoments, ReZeroNotebook) {
  StackText text{"rezero:alpha=0.1", "transformer", 16, "relu", "rezero-notebook", 4};
  text.tokens.tokens = 4;
  text.tokens.attention.heads = text.tokens.attention.kv_heads = 4;
  const struct {
    const char* what;
    const char* scheme;
    Index layers;
    int seeds;
    Real mean, error;
  } table[] = {{"notebook, rezero 0.1, 12 layers", "rezero:alpha=0.1", 12, 1000, 1.0645, 0.0006},
               {"notebook, rezero 0.1, 128 layers", "rezero:alpha=0.1", 128, 400, 2.146, 0.015},
               {"notebook, post-ln, 12 (ten draws: 0.744)", "post-ln", 12, 40, 0.744, 0.31},
               {"notebook, pre-ln, 12 (ten draws: 8.34)", "pre-ln", 12, 40, 8.34, 1.1},
               {"notebook, post-ln, 128 (0.0007)", "post-ln", 128, 10, 0.0007, 0.0004},
               {"notebook, pre-ln, 128 (91)", "pre-ln", 128, 10, 91, 47}};
  for (const auto& row : table) {
    text.scheme = row.scheme;
    const Estimate got = estimate(
        row.seeds, [&](std::uint64_t seed) { return mean_square(*testing::stack(text, seed, row.layers)); });
    print(row.what, got, row.mean);
    if (row.error < 0.1 * row.mean) {  // post-ln and pre-ln have tails about which ten draws say little
      EXPECT_LE(std::abs(got.mean - row.mean), 3 * std::hypot(got.error, row.error)) << row.what;
    }
  }
}

/// 2.12, 2.18: m1 = q_L/q_0 telescopes: 1 + L g for pre-norms (g = 2), 1 + g H_L for layer norm scaling (RMS,
/// one block a layer), 1 + L for peri-ln; q_0 = 1 on the sphere. At width n the bias is up to 3 L/n of the
/// growth (theory.md 7.2).
TEST(SlowMoments, TelescopingLawsOfPreNorms) {
  const Index L = 32, n = 256;
  Real harmonic = 0;
  for (Index l = 1; l <= L; ++l) harmonic += 1 / static_cast<Real>(l);
  const struct {
    const char* scheme;
    Real truth;
  } table[] = {{"pre-ln", 65}, {"pre-rms", 65}, {"lns", 1 + 2 * harmonic}, {"peri-ln", 33}};
  EXPECT_NEAR(1 + 2 * harmonic, 9.117, 5e-4);
  for (const auto& row : table) {
    StackSpec spec = testing::stack_spec({row.scheme, "mlp", n, "relu", "he"});
    spec.input.law = InputLaw::sphere;
    const Matrix probes = testing::normal(n, 64, 11);  // E‖J v‖² = ‖J‖_F² for standard normal v
    const Estimate got = estimate(20, [&](std::uint64_t seed) {
      return mean_square(*build_stack(spec, seed, L), probes) / static_cast<Real>(n);
    });
    print(std::string(row.scheme) + ", relu mlp, L = 32, width 256", got, row.truth);
    const Real allowance =
        3 * static_cast<Real>(L) / static_cast<Real>(n) * std::log(row.truth) / std::log(65.0);
    EXPECT_LE(std::abs(got.mean - row.truth), 3 * got.error + allowance * row.truth) << row.scheme;
    EXPECT_LE(got.error, row.truth / 10);
  }
}

Real top_value(const Matrix& J) {
  Vector v = testing::normal(J.cols(), 1);
  for (int i = 0; i < 100; ++i) v = (J.transpose() * (J * v)).normalized();
  return (J * v).norm();
}

/// 7.3: the mean of a relu branch makes one singular value grow like (1 + a/√π)^L, 78 at L = 64, while the
/// bulk ends at 4.59 (7.1, c = 1). Subtracting the mean removes it. The geometric mean of the two numbers
/// tells which it is.
TEST(SlowMoments, DepthMupRemovesTheOutlier) {
  const Index L = 64;
  const Real outlier = std::pow(1 + 1 / std::sqrt(std::acos(-1.0) * static_cast<Real>(L)), L),
             edge = 4.592866561;
  const auto top = [](const char* scheme) {
    return estimate(6, [scheme](std::uint64_t seed) {
      return top_value(testing::plain(
          testing::last_step(*testing::stack({scheme, "dense", 128, "relu", "he"}, seed, L)).jacobian));
    });
  };
  const Estimate with = top("depth-power"), without = top("depth-mup");
  print("largest sigma, dense depth-power (large d)", with, outlier);
  print("largest sigma, dense depth-mup (large d, L)", without, edge);
  EXPECT_GT(with.mean - 3 * with.error, std::sqrt(outlier * edge));
  EXPECT_LT(without.mean + 3 * without.error, std::sqrt(outlier * edge));
}

}  // namespace
}  // namespace rezero
